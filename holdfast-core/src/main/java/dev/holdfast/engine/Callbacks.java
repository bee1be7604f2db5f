package dev.holdfast.engine;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Where futures complete and listeners run: the caller's executor, or a few daemon threads of our
 * own that end when idle. The queue is bounded by the requests and leases there are.
 */
final class Callbacks implements Executor {

  private static final int THREADS = 4;

  private final Executor executor;
  private final @Nullable ThreadPoolExecutor own;

  Callbacks(@Nullable Executor given) {
    if (given != null) {
      executor = given;
      own = null;
      return;
    }
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            5,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, "holdfast-callback");
              thread.setDaemon(true);
              return thread;
            });
    pool.allowCoreThreadTimeOut(true);
    executor = pool;
    own = pool;
  }

  /** A task that is refused runs here: a decision or a loss that nobody hears of is worse. */
  @Override
  public void execute(Runnable task) {
    try {
      executor.execute(task);
    } catch (RejectedExecutionException refused) {
      task.run();
    }
  }

  /** Lets what is queued run; takes nothing new. */
  void close() {
    if (own != null) {
      own.shutdown();
    }
  }
}
