package dev.holdfast.testkit;

import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Ticker;
import java.time.Duration;

/** Deadlines for tests that call a store without an engine. Thread-safe. */
public final class Deadlines {

  private static final Ticker CLOCK = Ticker.system("holdfast-test-deadlines");

  private Deadlines() {}

  /**
   * @return one that no healthy store reaches: 30 s from now, by the system's clock
   */
  public static Deadline far() {
    return in(Duration.ofSeconds(30));
  }

  /**
   * @return the deadline, this long from now by the system's clock
   */
  public static Deadline in(Duration duration) {
    return Deadline.in(duration, CLOCK);
  }
}
