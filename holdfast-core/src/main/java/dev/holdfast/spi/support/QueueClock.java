package dev.holdfast.spi.support;

import java.time.Duration;

/** The clock of a {@link ClaimQueue}, in the store's own unit; fixed during one step. */
public interface QueueClock {

  /**
   * @return the time of this step; it may wrap around
   */
  long now();

  /**
   * @return the store's wall clock in microseconds since 1970
   */
  long micros();

  /**
   * @param lastToken the last token of the lock
   * @return what a new token must reach: the wall clock, or 0 if the last token cannot be behind it
   */
  default long microsForTokens(long lastToken) {
    return micros();
  }

  /**
   * @return a duration in this clock's unit, rounded up so that no claim ends early
   */
  long lifetime(Duration duration);

  /**
   * @return the time since then, never negative
   */
  Duration since(long then);

  /**
   * @return the time that is surely left until then, never negative
   */
  Duration until(long then);
}
