package dev.holdfast.torture.worker;

import dev.holdfast.DistributedLock;
import dev.holdfast.DistributedSemaphore;
import dev.holdfast.Lease;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The ways to ask that a lock and a semaphore have in common. */
interface Lockable {

  Lease acquire() throws InterruptedException;

  Lease acquire(Duration wait) throws InterruptedException;

  @Nullable Lease tryAcquire() throws InterruptedException;

  @Nullable Lease tryAcquire(Duration wait) throws InterruptedException;

  CompletableFuture<Lease> acquireAsync();

  CompletableFuture<@Nullable Lease> tryAcquireAsync(Duration wait);

  static Lockable of(DistributedLock lock) {
    return new Lockable() {
      @Override
      public Lease acquire() throws InterruptedException {
        return lock.acquire();
      }

      @Override
      public Lease acquire(Duration wait) throws InterruptedException {
        return lock.acquire(wait);
      }

      @Override
      public @Nullable Lease tryAcquire() throws InterruptedException {
        return lock.tryAcquire();
      }

      @Override
      public @Nullable Lease tryAcquire(Duration wait) throws InterruptedException {
        return lock.tryAcquire(wait);
      }

      @Override
      public CompletableFuture<Lease> acquireAsync() {
        return lock.acquireAsync();
      }

      @Override
      public CompletableFuture<@Nullable Lease> tryAcquireAsync(Duration wait) {
        return lock.tryAcquireAsync(wait);
      }
    };
  }

  static Lockable of(DistributedSemaphore semaphore, int permits) {
    return new Lockable() {
      @Override
      public Lease acquire() throws InterruptedException {
        return semaphore.acquire(permits);
      }

      @Override
      public Lease acquire(Duration wait) throws InterruptedException {
        return semaphore.acquire(permits, wait);
      }

      @Override
      public @Nullable Lease tryAcquire() throws InterruptedException {
        return semaphore.tryAcquire(permits);
      }

      @Override
      public @Nullable Lease tryAcquire(Duration wait) throws InterruptedException {
        return semaphore.tryAcquire(permits, wait);
      }

      @Override
      public CompletableFuture<Lease> acquireAsync() {
        return semaphore.acquireAsync(permits);
      }

      @Override
      public CompletableFuture<@Nullable Lease> tryAcquireAsync(Duration wait) {
        return semaphore.tryAcquireAsync(permits, wait);
      }
    };
  }
}
