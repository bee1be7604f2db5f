package dev.holdfast.bench;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Calls libraries that may never return. */
final class TimeLimit {

  private TimeLimit() {}

  /** Runs the task on a new thread, which is abandoned if it takes longer. */
  static <T> T call(Duration patience, Callable<T> task) throws Exception {
    FutureTask<T> future = new FutureTask<>(task);
    Thread thread = new Thread(future, "bench-slice");
    thread.setDaemon(true);
    thread.start();
    try {
      return future.get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    } catch (TimeoutException e) {
      future.cancel(true);
      throw new TimeoutException("not done after " + patience.toSeconds() + " s");
    }
  }
}
