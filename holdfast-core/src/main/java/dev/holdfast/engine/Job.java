package dev.holdfast.engine;

import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.Registration;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

/** One run of a scheduled job under its lock: its thread is interrupted when the lock is lost. */
final class Job {

  private final EngineLock lock;
  private final Runnable task;
  private final Thread thread = Thread.currentThread();
  private final ReentrantLock mutex = new ReentrantLock();

  // Mutable state, guarded by mutex
  private boolean ended;
  private boolean interrupted;

  Job(EngineLock lock, Runnable task) {
    this.lock = lock;
    this.task = task;
  }

  /** Whether it ran. */
  boolean run() throws InterruptedException {
    try (Lease lease = lock.tryAcquire()) {
      if (lease == null) {
        return false;
      }
      try (Registration whenLost = lease.onLost(this::interrupt)) {
        lock.guarded(task);
      } catch (RuntimeException e) {
        tellLoss(lease, e); // what the job made of its interrupt matters less
        throw e;
      } finally {
        end();
      }
      lease.ensure(Duration.ZERO);
      return true;
    }
  }

  private static void tellLoss(Lease lease, RuntimeException failure) {
    try {
      lease.ensure(Duration.ZERO);
    } catch (LeaseLostException lost) {
      lost.addSuppressed(failure);
      throw lost;
    }
  }

  private void interrupt() {
    mutex.lock();
    try {
      if (!ended) {
        interrupted = true;
        thread.interrupt();
      }
    } finally {
      mutex.unlock();
    }
  }

  /** The interrupt was meant for the task: what comes after it does not see it. */
  private void end() {
    mutex.lock();
    try {
      ended = true;
      if (interrupted) {
        Thread.interrupted();
      }
    } finally {
      mutex.unlock();
    }
  }
}
