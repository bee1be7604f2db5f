package dev.holdfast.spi;

import dev.holdfast.Registration;
import java.time.Duration;

/**
 * Time, and what is to happen later. The system's own is used unless a test drives one by hand.
 *
 * <p>Safe for any threads.
 */
public interface Ticker extends AutoCloseable {

  /** The monotonic clock, as {@link System#nanoTime}. It may stop while the machine sleeps. */
  long nanoTime();

  /** The wall clock in microseconds since 1970. It may jump. */
  long wallMicros();

  /**
   * Runs a task once, after a delay. Tasks are short and must not block: they share one thread.
   *
   * @return takes the task back if it has not started
   */
  Registration schedule(Duration delay, Runnable task);

  /** Forgets all tasks. */
  @Override
  void close();

  /** A ticker on the system's clocks, with one daemon thread of that name, started on first use. */
  static Ticker system(String threadName) {
    return new SystemTicker(threadName);
  }
}
