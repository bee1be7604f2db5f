package dev.holdfast.http;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Interrupts the thread that made it unless it is closed in time. Whatever happens, the thread is
 * as it was when this is closed: no interrupt of ours comes later.
 */
final class TimeLimit implements AutoCloseable {

  private final Thread thread = Thread.currentThread();
  private final ReentrantLock mutex = new ReentrantLock();
  private final CompletableFuture<Void> timer;

  // Mutable state, guarded by mutex
  private boolean over;
  private boolean reached;

  TimeLimit(Duration limit) {
    timer =
        CompletableFuture.runAsync(
            this::reach,
            CompletableFuture.delayedExecutor(
                limit.toNanos(), TimeUnit.NANOSECONDS, Runnable::run));
  }

  private void reach() {
    mutex.lock();
    try {
      if (!over) {
        reached = true;
        thread.interrupt();
      }
    } finally {
      mutex.unlock();
    }
  }

  @Override
  public void close() {
    timer.cancel(false);
    mutex.lock();
    try {
      over = true;
      if (reached) {
        Thread.interrupted();
      }
    } finally {
      mutex.unlock();
    }
  }
}
