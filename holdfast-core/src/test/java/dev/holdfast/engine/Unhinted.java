package dev.holdfast.engine;

import dev.holdfast.Registration;
import dev.holdfast.spi.LockStore;

/** Tells nobody that a lock was broken: its holder learns of it by its next request. */
final class Unhinted extends ForwardingStore {

  Unhinted(LockStore inner) {
    super(inner);
  }

  @Override
  public Registration observe(String lock, Runnable wake) {
    return Registration.NONE;
  }
}
