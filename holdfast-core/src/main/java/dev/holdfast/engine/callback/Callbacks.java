package dev.holdfast.engine.callback;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Where the caller's code runs: futures, listeners, actions for a loss. Never on the timer's thread
 * or the store's, whatever executor was given: a dedicated thread hands the task to it, and runs
 * the task itself if the executor refuses it.
 *
 * <p>In a test that drives the time by hand there is no such thread to protect: then the executor
 * is called where the task arises, and a test of one thread sees every outcome at once.
 */
public final class Callbacks implements Executor {

  /** How deep an executor that runs tasks on the calling thread may nest them. */
  private static final int MAX_DEPTH = 16;

  private static final ThreadLocal<Integer> DEPTH = ThreadLocal.withInitial(() -> 0);

  private final @Nullable Executor given;
  private final boolean driven;
  private final Executor own;

  /**
   * @param given the caller's executor, or null for dedicated threads
   * @param driven true if a test drives the time
   * @param own dedicated threads
   */
  public Callbacks(@Nullable Executor given, boolean driven, Executor own) {
    this.given = given;
    this.driven = driven;
    this.own = own;
  }

  @Override
  public void execute(Runnable task) {
    execute(task, given);
  }

  /** Runs a task once, on this executor if it takes it. */
  public void execute(Runnable task, @Nullable Executor chosen) {
    Executor target = chosen == this ? given : chosen;
    if (target == null || target == own) {
      own.execute(task);
      return;
    }
    Once once = new Once(task);
    if (driven && DEPTH.get() < MAX_DEPTH) {
      Answers.outside(() -> nested(once, target));
    } else {
      own.execute(() -> handOver(once, target));
    }
  }

  /** {@return dedicated threads, which run whatever the given executor is busy with} */
  public Executor own() {
    return own;
  }

  private void nested(Once task, Executor chosen) {
    int depth = DEPTH.get();
    DEPTH.set(depth + 1);
    try {
      chosen.execute(task);
    } catch (RuntimeException | Error refused) {
      own.execute(task);
    } finally {
      DEPTH.set(depth);
    }
  }

  private static void handOver(Once task, Executor chosen) {
    try {
      chosen.execute(task);
    } catch (RuntimeException | Error refused) {
      task.run();
    }
  }

  /** Runs what is queued; accepts nothing new. */
  public void close() {
    if (own instanceof Threads threads) {
      threads.close();
    }
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
