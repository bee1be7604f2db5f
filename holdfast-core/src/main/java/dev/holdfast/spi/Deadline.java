package dev.holdfast.spi;

import dev.holdfast.Registration;
import java.time.Duration;

/**
 * When an operation must be over. The engine passes it down and decides by its own timer; a store
 * uses it to stop work, such as retries or a statement that hangs, that nobody waits for any more.
 * A store never gives up before it.
 *
 * <p>Immutable and thread-safe.
 */
public final class Deadline {

  private final Ticker ticker;
  private final long nanos;

  private Deadline(Ticker ticker, long nanos) {
    this.ticker = ticker;
    this.nanos = nanos;
  }

  /** {@return a deadline this far from now, by the ticker's monotonic clock} */
  public static Deadline in(Duration duration, Ticker ticker) {
    return at(ticker.nanoTime() + duration.toNanos(), ticker);
  }

  /** At this reading of the ticker's monotonic clock. */
  public static Deadline at(long nanos, Ticker ticker) {
    return new Deadline(ticker, nanos);
  }

  /**
   * @return how much time is left; zero or negative once it has passed
   */
  public Duration remaining() {
    return Duration.ofNanos(remainingNanos());
  }

  /**
   * @return nanoseconds left; zero or negative once it has passed
   */
  public long remainingNanos() {
    return nanos - ticker.nanoTime();
  }

  /**
   * @return whether it has passed
   */
  public boolean isOver() {
    return remainingNanos() <= 0;
  }

  /**
   * Runs a short task when the deadline passes, at once if it has passed.
   *
   * @return cancels the task if it has not started
   */
  public Registration schedule(Runnable task) {
    return ticker.schedule(Duration.ofNanos(Math.max(0, remainingNanos())), task);
  }

  @Override
  public String toString() {
    return "Deadline[" + remaining() + " left]";
  }
}
