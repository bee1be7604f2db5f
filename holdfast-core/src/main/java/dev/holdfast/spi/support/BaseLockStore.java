package dev.holdfast.spi.support;

import dev.holdfast.Registration;
import dev.holdfast.Traits;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Observers;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What every store has besides its verbs: a name, traits, observers, and one end. Thread-safe, as
 * subclasses must be.
 */
public abstract class BaseLockStore implements LockStore {

  private final String name;
  private final Traits traits;
  private final Observers observers;
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * @param name for messages: its URL without secrets
   * @param observers whom the store wakes
   */
  protected BaseLockStore(String name, Traits traits, Observers observers) {
    this.name = name;
    this.traits = traits;
    this.observers = observers;
  }

  protected final Observers observers() {
    return observers;
  }

  @Override
  public final Traits traits() {
    return traits;
  }

  @Override
  public final Registration observe(String lock, Runnable wake) {
    return observers.add(lock, wake);
  }

  /** Wakes no waiter from now on. */
  @Override
  public final void close() {
    if (closed.compareAndSet(false, true)) {
      observers.clear();
      shutDown();
    }
  }

  /** Ends what the store itself has opened; called once. */
  protected abstract void shutDown();

  @Override
  public final String toString() {
    return name;
  }
}
