package dev.holdfast.testkit.explorer;

import dev.holdfast.DistributedLock;
import dev.holdfast.DistributedSemaphore;
import dev.holdfast.Holdfast;
import dev.holdfast.Kind;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** How a wish becomes a call of the API. */
final class Requests {

  private Requests() {}

  /** A request that is decided later. */
  static CompletableFuture<@Nullable Lease> later(Run run, Wish wish) {
    if (run.world.kind() == Kind.SEMAPHORE) {
      DistributedSemaphore semaphore = semaphore(run, wish);
      return wish.limit() == null
          ? semaphore.acquireAsync(wish.weight())
          : semaphore.tryAcquireAsync(wish.weight(), wish.limit());
    }
    DistributedLock lock = lock(run, wish);
    return wish.limit() == null ? lock.acquireAsync() : lock.tryAcquireAsync(wish.limit());
  }

  /** A blocking try, on the thread of the caller. */
  static @Nullable Lease now(Run run, Wish wish) throws InterruptedException {
    return run.world.kind() == Kind.SEMAPHORE
        ? semaphore(run, wish).tryAcquire(wish.weight())
        : lock(run, wish).tryAcquire();
  }

  private static DistributedSemaphore semaphore(Run run, Wish wish) {
    Holdfast client = run.clients.get(wish.client());
    return client.semaphore(Run.LOCK, run.world.capacity(), options(run, wish));
  }

  private static DistributedLock lock(Run run, Wish wish) {
    Holdfast client = run.clients.get(wish.client());
    if (run.world.kind() == Kind.READ_WRITE) {
      var both = client.readWriteLock(Run.LOCK, options(run, wish));
      return wish.weight() > 1 ? both.writeLock() : both.readLock();
    }
    return client.lock(Run.LOCK, options(run, wish));
  }

  private static LockOptions options(Run run, Wish wish) {
    LockOptions options = run.world.options();
    return wish.minHold().isZero() ? options : options.minHold(wish.minHold());
  }
}
