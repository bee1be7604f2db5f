package dev.holdfast;

import java.util.concurrent.locks.Lock;

/**
 * A distributed lock as {@link Lock}. After a loss, {@code unlock} throws {@link
 * LeaseLostException} once the hold is cleaned up; nested calls of {@code unlock} count down as
 * usual. Thread-safe.
 */
public interface LeasedLock extends Lock {

  /**
   * The lease that the calling thread holds, with its token and proof. It ends with {@code unlock},
   * and only so: its own {@code close} and {@code release} throw {@link
   * UnsupportedOperationException}, because a thread may ask for it any number of times.
   *
   * @throws IllegalMonitorStateException if the thread does not hold the lock
   */
  Lease lease();
}
