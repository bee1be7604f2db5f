package dev.holdfast.engine;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Where futures complete, listeners hear and actions for a loss run: the caller's executor, or
 * daemon threads of our own that end when idle. The queue is bounded by the requests and leases
 * there are.
 */
final class Callbacks implements Executor {

  /** How deep an executor that runs tasks on the calling thread may nest them. */
  private static final int MAX_DEPTH = 16;

  private static final ThreadLocal<Integer> DEPTH = ThreadLocal.withInitial(() -> 0);

  private final @Nullable Executor given;
  private final ThreadPoolExecutor own;

  /** The given executor, or at most so many threads of our own. */
  Callbacks(@Nullable Executor given, int threads, String threadName) {
    this.given = given;
    own =
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
    own.allowCoreThreadTimeOut(true);
  }

  @Override
  public void execute(Runnable task) {
    execute(task, given);
  }

  /**
   * Runs a task once, on this executor if it takes it. What it refuses, and what it would nest too
   * deep on the calling thread, runs on a thread of our own: never on the caller's, which may be
   * the timer's or the store's.
   */
  void execute(Runnable task, @Nullable Executor chosen) {
    Once once = new Once(task);
    int depth = DEPTH.get();
    if (chosen == null || depth >= MAX_DEPTH) {
      executeOwn(once);
      return;
    }
    DEPTH.set(depth + 1);
    try {
      chosen.execute(once);
    } catch (RuntimeException | Error refused) {
      executeOwn(once);
    } finally {
      DEPTH.set(depth);
    }
  }

  /** Runs a task on a thread of our own, whatever the given executor is busy with. */
  void executeOwn(Runnable task) {
    try {
      own.execute(task);
    } catch (RejectedExecutionException closed) {
      task.run(); // a decision that nobody hears of is worse
    }
  }

  /** Lets what is queued run; takes nothing new. */
  void close() {
    own.shutdown();
  }

  /** An executor may throw after it has run the task, or taken it. */
  private static final class Once extends AtomicBoolean implements Runnable {
    private static final long serialVersionUID = 1L;

    private final transient Runnable task;

    Once(Runnable task) {
      this.task = task;
    }

    @Override
    public void run() {
      if (compareAndSet(false, true)) {
        task.run();
      }
    }
  }
}
