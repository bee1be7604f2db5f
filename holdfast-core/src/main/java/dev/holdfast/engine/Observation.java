package dev.holdfast.engine;

import dev.holdfast.Registration;
import dev.holdfast.spi.LockStore;
import java.util.concurrent.locks.ReentrantLock;

/** The hints of one lock name: asked for at most once, and not after it has ended. Any threads. */
final class Observation {

  private final ReentrantLock mutex = new ReentrantLock();

  // Mutable state, guarded by mutex
  private Registration registration = Registration.NONE;
  private boolean closed;

  /** Asks the store for hints unless it was asked before. A store that throws is asked again. */
  void start(LockStore store, String lock, Runnable hint) {
    mutex.lock();
    try {
      if (!closed && registration == Registration.NONE) {
        registration = store.observe(lock, hint);
      }
    } finally {
      mutex.unlock();
    }
  }

  void close() {
    mutex.lock();
    try {
      closed = true;
      registration.close();
      registration = Registration.NONE;
    } finally {
      mutex.unlock();
    }
  }
}
