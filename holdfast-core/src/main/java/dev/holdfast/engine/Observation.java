package dev.holdfast.engine;

import dev.holdfast.Registration;
import dev.holdfast.spi.LockStore;
import java.util.concurrent.atomic.AtomicReference;

/** The hints of one lock name: asked for once, and not after it has ended. Any threads. */
final class Observation {

  private static final Registration ENDED = () -> {};

  private final AtomicReference<Registration> registration =
      new AtomicReference<>(Registration.NONE);

  /** Asks the store for hints unless it was asked before. A store that throws is asked again. */
  void start(LockStore store, String lock, Runnable hint) {
    if (registration.get() == Registration.NONE) {
      Registration started = store.observe(lock, hint);
      if (!registration.compareAndSet(Registration.NONE, started)) {
        started.close();
      }
    }
  }

  void close() {
    registration.getAndSet(ENDED).close();
  }
}
