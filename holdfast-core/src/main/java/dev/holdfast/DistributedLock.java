package dev.holdfast;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
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
 * <p><b>Promises.</b> Whoever gives up waiting (time-out, interrupt, cancellation) leaves the queue
 * at once. Busy is answered as null or {@link LockTimeoutException}; a store that does not answer
 * is a {@link StoreException}, never busy.
 *
 * <p><b>Re-entry.</b> The blocking methods are reentrant per thread (unless the options say no):
 * the inner lease has the same token, and the last close gives the lock back. Re-entry after a loss
 * throws {@link LeaseLostException}. The asynchronous methods are not: a thread means nothing
 * there.
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
   * @throws StoreException if the store does not answer
   * @throws IllegalStateException if the name is in use as another kind of lock, or the client is
   *     closed
   */
  Lease acquire() throws InterruptedException;

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
   * Waits for the lock at most this long; if the store's first answer takes longer than that, for
   * that answer.
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

  /** Acquires, runs, gives back. */
  void run(Runnable task) throws InterruptedException;

  /** Acquires, calls, gives back. */
  <T> T call(Callable<T> task) throws Exception;

  /**
   * Runs the task if the lock is free.
   *
   * @return whether it ran
   */
  boolean tryRun(Runnable task) throws InterruptedException;

  /** Whether the calling thread holds a valid lease of this lock from a blocking method. */
  boolean isHeldByCurrentThread();

  /**
   * This lock as {@link Lock}: reentrant and bound to the thread; {@code unlock} by another thread
   * throws {@link IllegalMonitorStateException}, and {@code newCondition} is refused.
   */
  Lock asLock();
}
