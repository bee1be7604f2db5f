package dev.holdfast.spi;

import dev.holdfast.Registration;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The system's clocks and one daemon thread. */
final class SystemTicker implements Ticker {

  private static final System.Logger LOG = System.getLogger(Ticker.class.getName());

  private final ScheduledThreadPoolExecutor executor;

  SystemTicker(String threadName) {
    executor =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, threadName);
              thread.setDaemon(true);
              return thread;
            });
    executor.setRemoveOnCancelPolicy(true);
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  // Milliseconds are enough for a floor of tokens and for noticing sleep, and cost half as much.
  @Override
  public long wallMicros() {
    return System.currentTimeMillis() * 1_000;
  }

  @Override
  public Registration schedule(Duration delay, Runnable task) {
    try {
      Future<?> future =
          executor.schedule(() -> runIsolated(task), delay.toNanos(), TimeUnit.NANOSECONDS);
      return () -> future.cancel(false);
    } catch (RejectedExecutionException closed) {
      return Registration.NONE;
    }
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }

  // One task that throws must not silence the others that share the thread.
  private static void runIsolated(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      LOG.log(Level.ERROR, "A scheduled task failed", e);
    }
  }
}
