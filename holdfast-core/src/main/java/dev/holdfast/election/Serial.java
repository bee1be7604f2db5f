package dev.holdfast.election;

import java.lang.System.Logger.Level;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Runs tasks one after the other, in their order, on an executor with other work. Thread-safe. */
final class Serial implements Executor {

  private static final System.Logger LOG = System.getLogger("dev.holdfast");

  private final Executor executor;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final AtomicReference<@Nullable Thread> runner = new AtomicReference<>();

  Serial(Executor executor) {
    this.executor = executor;
  }

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
    executor.execute(this::drain);
  }

  /** {@return whether the calling thread is in one of the tasks} */
  boolean isInside() {
    return runner.get() == Thread.currentThread();
  }

  /** Runs what is queued, unless a thread is at it. */
  void drain() {
    // Once more if a task came after the last look: its own drain may have met us at work.
    while (!tasks.isEmpty() && runner.compareAndSet(null, Thread.currentThread())) {
      Runnable task;
      while ((task = tasks.poll()) != null) {
        run(task);
      }
      runner.set(null);
    }
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      LOG.log(Level.ERROR, "A listener failed", e);
    }
  }
}
