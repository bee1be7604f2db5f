package dev.holdfast;

import java.util.concurrent.locks.ReadWriteLock;

/**
 * Many readers or one writer. Cheap to make; keeps nothing while it is not held.
 *
 * <pre>{@code
 * try (Lease reading = catalogue.readLock().acquire()) {
 *   return load(reading);
 * }
 * }</pre>
 *
 * <p><b>Promises.</b> First come, first served where the store is fair: a writer that waits lets no
 * later reader past, so it is not starved; readers of one client that come within a tenth of a
 * second of each other may still join those that run. Readers of one client share one claim in the
 * store, each with its own token.
 *
 * <p><b>Re-entry.</b> Each side is reentrant per thread, and a thread that writes may read, with
 * the same token. A thread that reads cannot write: two of them would wait for each other for ever,
 * so it is refused with {@link IllegalStateException}; close the read lease first.
 *
 * <p><b>Threads.</b> All methods may be called by any thread.
 */
public interface DistributedReadWriteLock {

  /** The lock's name. */
  String name();

  /** The options it is held with. */
  LockOptions options();

  /** The side that is shared. */
  DistributedLock readLock();

  /** The side that excludes all others. */
  DistributedLock writeLock();

  /**
   * Turns a write lease into a read lease with the same token; no other writer comes in between.
   * The given lease is released, and its actions for a loss with it. Waits for the store's answer,
   * for a bounded time, so that other readers are granted; without an answer, the next renewal
   * repeats it. A thread with further open write leases stays the writer until they are closed.
   *
   * <p>A thread that holds both a write and a read lease from the blocking methods gets the same
   * effect by closing the write lease.
   *
   * @throws LeaseLostException if it is over
   * @throws IllegalArgumentException if it is not a write lease of this lock
   */
  Lease downgrade(Lease writing);

  /**
   * This lock as {@link ReadWriteLock}: both sides reentrant and bound to the thread, without
   * conditions.
   */
  ReadWriteLock asReadWriteLock();
}
