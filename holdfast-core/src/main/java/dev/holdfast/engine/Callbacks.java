package dev.holdfast.engine;

import java.util.ArrayDeque;
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

  // What an executor that runs tasks on the calling thread is given while it runs one.
  private static final ThreadLocal<@Nullable ArrayDeque<Runnable>> NESTED = new ThreadLocal<>();

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

  /**
   * Runs a task, on an executor of the calling thread after the one that it is running: a chain of
   * acquisitions must not grow the stack.
   */
  @Override
  public void execute(Runnable task) {
    ArrayDeque<Runnable> running = NESTED.get();
    if (running != null) {
      running.add(task);
      return;
    }
    ArrayDeque<Runnable> nested = new ArrayDeque<>(1);
    NESTED.set(nested);
    try {
      Runnable next = task;
      while (next != null) {
        offer(next);
        next = nested.poll();
      }
    } finally {
      NESTED.remove();
    }
  }

  // A task that is refused runs here: a decision that nobody hears of is worse.
  private void offer(Runnable task) {
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
