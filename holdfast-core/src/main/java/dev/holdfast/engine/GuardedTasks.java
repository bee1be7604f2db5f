package dev.holdfast.engine;

import dev.holdfast.DistributedLock;
import dev.holdfast.Lease;
import dev.holdfast.StaleTokenException;
import java.util.concurrent.Callable;

/** What every lock does with a task: acquires, runs it, gives back. */
abstract class GuardedTasks implements DistributedLock {

  final Engine engine;

  GuardedTasks(Engine engine) {
    this.engine = engine;
  }

  @Override
  public final void run(Runnable task) throws InterruptedException {
    try (Lease lease = acquire()) {
      guarded(task);
    }
  }

  @Override
  public final <T> T call(Callable<T> task) throws Exception {
    try (Lease lease = acquire()) {
      return task.call();
    } catch (StaleTokenException e) {
      engine.raiseFloor(e.current());
      throw e;
    }
  }

  @Override
  public final boolean tryRun(Runnable task) throws InterruptedException {
    try (Lease lease = tryAcquire()) {
      if (lease == null) {
        return false;
      }
      guarded(task);
      return true;
    }
  }

  // A fence that has seen a greater token than the store remembers: our next one must be greater.
  final void guarded(Runnable task) {
    try {
      task.run();
    } catch (StaleTokenException e) {
      engine.raiseFloor(e.current());
      throw e;
    }
  }
}
