package dev.holdfast.engine;

import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Runs tasks one after the other, in their order, on an executor with other work. Thread-safe. */
final class Serial implements Executor {

  private static final System.Logger LOG = System.getLogger("dev.holdfast");

  private final Executor executor;
  private final ReentrantLock mutex = new ReentrantLock();

  // Mutable state, the queue guarded by mutex
  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private boolean running;
  private volatile @Nullable Thread runner;

  Serial(Executor executor) {
    this.executor = executor;
  }

  @Override
  public void execute(Runnable task) {
    mutex.lock();
    try {
      tasks.add(task);
      if (running) {
        return;
      }
      running = true;
    } finally {
      mutex.unlock();
    }
    executor.execute(this::drain);
  }

  /** Whether the calling thread is in one of the tasks. */
  boolean isInside() {
    return runner == Thread.currentThread();
  }

  /** Runs what is queued, unless a thread is at it. */
  void drain() {
    mutex.lock();
    try {
      if (runner != null) {
        return;
      }
      runner = Thread.currentThread();
    } finally {
      mutex.unlock();
    }
    Runnable task;
    while ((task = next()) != null) {
      try {
        task.run();
      } catch (RuntimeException | Error e) {
        LOG.log(Level.ERROR, "A listener failed", e);
      }
    }
  }

  private @Nullable Runnable next() {
    mutex.lock();
    try {
      Runnable task = tasks.poll();
      if (task == null) {
        running = false;
        runner = null;
      }
      return task;
    } finally {
      mutex.unlock();
    }
  }
}
