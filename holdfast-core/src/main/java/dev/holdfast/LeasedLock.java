package dev.holdfast;

import java.util.concurrent.locks.Lock;

/**
 * A distributed lock as {@link Lock}. After a loss, {@code unlock} throws {@link
 * LeaseLostException} once the hold is cleaned up; nested calls of {@code unlock} count down as
 * usual. Thread-safe.
 */
public interface LeasedLock extends Lock {

  /**
   * @return the lease that the calling thread holds, with its token and proof; closing it is the
   *     same as {@code unlock}
   * @throws IllegalMonitorStateException if the thread does not hold the lock
   */
  Lease lease();
}
