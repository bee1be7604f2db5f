package dev.holdfast;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A named lock with its options. Cheap to make; keeps nothing while it is not held.
 *
 * <pre>{@code
 * try (Lease lease = lock.acquire(Duration.ofSeconds(5))) {
 *   ledger.post(invoice, lease.token());
 * }
 * }</pre>
 *
 * <p><b>Promises.</b> A caller that gives up waiting is out of the queue before it hears of it
 * (time-out, interrupt; bounded by the operation time-out, or by a second interrupt); a future that
 * is cancelled is cancelled at once, and its leave is sent before {@code cancel} returns. Busy is
 * answered as null or {@link LockTimeoutException}; a store that does not answer is a {@link
 * StoreException}, never busy.
 *
 * <p><b>Re-entry.</b> The blocking methods are reentrant per thread (unless the options say no):
 * the inner lease has the same token, and the last close gives the lock back. Re-entry after a loss
 * throws {@link LeaseLostException}. An inner lease runs on the ttl and maxHold of the outer one;
 * its own minHold counts if it is longer. The asynchronous methods are not reentrant: a thread
 * means nothing there.
 *
 * <p><b>Threads.</b> All methods may be called by any thread; virtual threads are welcome. Methods
 * that wait throw {@link InterruptedException}.
 */
public interface DistributedLock {

  /** The lock's name. */
  String name();

  /** The options it is held with. */
  LockOptions options();

  /**
   * Waits for the lock, however long.
   *
   * @throws StoreException if the store does not answer the first request; once it has confirmed
   *     that we wait, its silence is waited out
   * @throws IllegalStateException if the name is in use as another kind of lock, or the client is
   *     closed
   */
  Lease acquire() throws InterruptedException;

  /** As {@link #acquire()}, but an interrupt does not end the wait; its status is restored. */
  Lease acquireUninterruptibly();

  /**
   * Waits for the lock at most this long.
   *
   * @throws LockTimeoutException if it stayed busy; the message names the holder
   * @throws StoreException if the store does not answer
   */
  Lease acquire(Duration wait) throws InterruptedException;

  /**
   * Takes the lock if it is free.
   *
   * @return null when busy; legal as a resource of try
   * @throws StoreException if the store does not answer
   */
  @Nullable Lease tryAcquire() throws InterruptedException;

  /**
   * Waits for the lock at most this long. An answer of the store that is on its way then decides,
   * and without one we leave the queue before this returns; both together take at most one
   * operation time-out more.
   *
   * @return null when it stayed busy
   * @throws StoreException if the store does not answer
   */
  @Nullable Lease tryAcquire(Duration wait) throws InterruptedException;

  /** As {@link #acquire()}; cancelling the future leaves the queue. */
  CompletableFuture<Lease> acquireAsync();

  /** As {@link #acquire(Duration)}; cancelling the future leaves the queue. */
  CompletableFuture<Lease> acquireAsync(Duration wait);

  /** As {@link #tryAcquire()}: completes with null when busy. */
  CompletableFuture<@Nullable Lease> tryAcquireAsync();

  /** As {@link #tryAcquire(Duration)}; cancelling the future leaves the queue. */
  CompletableFuture<@Nullable Lease> tryAcquireAsync(Duration wait);

  /**
   * Acquires, runs, gives back. If the lock is lost meanwhile, the thread of the task is
   * interrupted; that interrupt is cleared when the task has returned, also together with another
   * one that came at the same time.
   *
   * @throws LeaseLostException if the lock was lost before it was given back; what the task threw
   *     is suppressed in it
   * @throws StoreException if the store does not answer; the task has not run
   */
  default void run(Runnable task) throws InterruptedException {
    run(lease -> task.run());
  }

  /** As {@link #run(Runnable)}; the task gets its lease. */
  void run(Consumer<Lease> task) throws InterruptedException;

  /** As {@link #run(Runnable)}, with a result. */
  default <T extends @Nullable Object> T call(Callable<T> task) throws Exception {
    return call(lease -> task.call());
  }

  /** As {@link #call(Callable)}; the task gets its lease. */
  <T extends @Nullable Object> T call(LeaseTask<T> task) throws Exception;

  /**
   * As {@link #run(Runnable)}, but only if the lock is free. For schedules that fire on several
   * machines: with {@link LockOptions#minHold} the lock stays held for that time after the task has
   * begun, even if the task and its process end earlier, so that a machine whose clock is late does
   * not run it again; {@link LockOptions#maxHold} limits how long it is held.
   *
   * @return true if it ran
   */
  default boolean tryRun(Runnable task) throws InterruptedException {
    return tryRun(lease -> task.run());
  }

  /** As {@link #tryRun(Runnable)}; the task gets its lease. */
  boolean tryRun(Consumer<Lease> task) throws InterruptedException;

  /**
   * {@return whether the calling thread holds a valid lease of this lock from a blocking method}
   */
  boolean isHeldByCurrentThread();

  /**
   * This lock as {@link java.util.concurrent.locks.Lock}: reentrant and bound to the thread; {@code
   * unlock} by another thread throws {@link IllegalMonitorStateException}, after a loss {@link
   * LeaseLostException}, and {@code newCondition} is refused.
   */
  LeasedLock asLock();
}
