package dev.holdfast.testkit.simulation;

import dev.holdfast.memory.MemoryLockStore;
import dev.holdfast.memory.MemoryRegister;
import dev.holdfast.memory.MemorySpace;
import dev.holdfast.register.RegisterLockStore;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Ticker;

/**
 * A store that a simulation can run: it answers on the calling thread, before the call returns, and
 * knows no other time than the ticker that it was made with.
 */
public interface StoreModel {

  /** Makes a model on a store's own clock. */
  @FunctionalInterface
  interface Maker {
    /** A new, empty store. */
    StoreModel make(Ticker clock);
  }

  /** The store for one more client. */
  LockStore open();

  /** {@return true if it may restart without its memory} */
  default boolean canForget() {
    return false;
  }

  /** Restarts without its memory; clients open it again. */
  default void forget() {
    throw new UnsupportedOperationException(this + " forgets nothing");
  }

  /** A register in memory, with the protocol of stores that only compare and set. */
  static StoreModel register(Ticker clock) {
    MemoryRegister register = new MemoryRegister(clock);
    return () -> new RegisterLockStore(register, RegisterLockStore.baseTraits().build(), clock);
  }

  /** The memory store: the reference. */
  static StoreModel memory(Ticker clock) {
    return new StoreModel() {
      private MemorySpace space = new MemorySpace();

      @Override
      public LockStore open() {
        return new MemoryLockStore(space, clock);
      }

      @Override
      public boolean canForget() {
        return true;
      }

      @Override
      public void forget() {
        space = new MemorySpace();
      }

      @Override
      public String toString() {
        return "memory";
      }
    };
  }
}
