package dev.holdfast.spi;

import dev.holdfast.Registration;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Clocks and a timer. The system's are used unless a test drives its own by hand. Thread-safe. */
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

  /**
   * Pauses.
   *
   * @return completes after this delay, on the thread of the tasks
   */
  default CompletableFuture<?> after(Duration delay) {
    CompletableFuture<Boolean> over = new CompletableFuture<>();
    var unused = schedule(delay, () -> over.complete(true));
    return over;
  }

  /**
   * Where a client runs what must not wait for its caller's executor.
   *
   * @return null for dedicated threads; a simulation, which has one thread only, runs these tasks
   *     as it runs all others
   */
  default @Nullable Executor dedicated() {
    return null;
  }

  /** Forgets all tasks. */
  @Override
  void close();

  /** A ticker on the system's clocks, with one daemon thread of that name, started on first use. */
  static Ticker system(String threadName) {
    return new SystemTicker(threadName);
  }
}
