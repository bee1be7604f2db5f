package dev.holdfast;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A number of permits that processes share. Cheap to make; keeps nothing while it is not held.
 *
 * <pre>{@code
 * try (Lease permit = locks.semaphore("mail-gateway", 10).acquire()) {
 *   gateway.send(mail);
 * }
 * }</pre>
 *
 * <p><b>Promises.</b> Never more permits than there are, by leases that tell the truth about
 * themselves. First come, first served where the store is fair: a request for few permits does not
 * overtake one for many. All users of a name must agree on the number of permits: a different one
 * is refused with both numbers while the semaphore is in use, and so is another kind of lock.
 *
 * <p><b>Does not promise</b> an order between permits that run at the same time: a {@link Fence}
 * cannot tell them apart. Not reentrant: permits add up.
 *
 * <p><b>Threads.</b> All methods may be called by any thread. Methods that wait throw {@link
 * InterruptedException}.
 */
public interface DistributedSemaphore {

  /** The semaphore's name. */
  String name();

  /** How many permits there are. */
  int permits();

  /** The options permits are held with. */
  LockOptions options();

  /**
   * Waits for one permit, however long.
   *
   * @throws StoreException if the store does not answer
   * @throws IllegalStateException if the name is in use as another kind of lock or with another
   *     number of permits, or the client is closed
   */
  default Lease acquire() throws InterruptedException {
    return acquire(1);
  }

  /** As {@link #acquire()}, but an interrupt does not end the wait; its status is restored. */
  default Lease acquireUninterruptibly() {
    return acquireUninterruptibly(1);
  }

  /** As {@link #acquire(int)}, but an interrupt does not end the wait; its status is restored. */
  Lease acquireUninterruptibly(int wanted);

  /**
   * Acquires this number of permits, however long that takes. They are one lease: granted and
   * released together.
   *
   * @throws IllegalArgumentException if the semaphore has fewer
   */
  Lease acquire(int wanted) throws InterruptedException;

  /**
   * Acquires this number of permits; waits no longer than this.
   *
   * @throws LockTimeoutException if they stayed busy; the message names a holder
   */
  Lease acquire(int wanted, Duration wait) throws InterruptedException;

  /** Takes one permit if it is free; null when busy. */
  default @Nullable Lease tryAcquire() throws InterruptedException {
    return tryAcquire(1);
  }

  /** Acquires this number of permits if they are free; null when busy. */
  @Nullable Lease tryAcquire(int wanted) throws InterruptedException;

  /** Acquires this number of permits; null if they stayed busy for this time. */
  @Nullable Lease tryAcquire(int wanted, Duration wait) throws InterruptedException;

  /** As {@link #acquire(int)}; cancelling the future leaves the queue. */
  CompletableFuture<Lease> acquireAsync(int wanted);

  /** As {@link #acquire(int, Duration)}; cancelling the future leaves the queue. */
  CompletableFuture<Lease> acquireAsync(int wanted, Duration wait);

  /** As {@link #tryAcquire(int)}: completes with null when busy. */
  CompletableFuture<@Nullable Lease> tryAcquireAsync(int wanted);

  /** As {@link #tryAcquire(int, Duration)}; cancelling the future leaves the queue. */
  CompletableFuture<@Nullable Lease> tryAcquireAsync(int wanted, Duration wait);
}
