package dev.holdfast.engine;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Where futures complete, listeners hear and actions for a loss run: the caller's executor, or
 * daemon threads of our own that end when idle. The queue is bounded by the requests and leases
 * there are.
 */
final class Callbacks implements Executor {

  private final Executor executor;
  private final @Nullable ThreadPoolExecutor own;

  private Callbacks(Executor executor, @Nullable ThreadPoolExecutor own) {
    this.executor = executor;
    this.own = own;
  }

  /** The given executor, or at most so many threads of our own. */
  static Callbacks on(@Nullable Executor given, int threads, String threadName) {
    if (given != null) {
      return new Callbacks(given, null);
    }
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            5,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, threadName);
              thread.setDaemon(true);
              return thread;
            });
    pool.allowCoreThreadTimeOut(true);
    return new Callbacks(pool, pool);
  }

  /** A task that is refused runs here: a decision that nobody hears of is worse. */
  @Override
  public void execute(Runnable task) {
    try {
      executor.execute(task);
    } catch (RuntimeException | Error refused) {
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
