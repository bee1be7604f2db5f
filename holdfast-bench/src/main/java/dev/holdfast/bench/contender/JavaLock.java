package dev.holdfast.bench.contender;

import java.util.concurrent.locks.Lock;

/** A lock of a library that gives it as {@link Lock}. */
public record JavaLock(Lock lock) implements Mutex {

  @Override
  public Hold acquire() {
    lock.lock();
    return lock::unlock;
  }
}
