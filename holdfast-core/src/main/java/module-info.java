/** Distributed locks: the API, the store SPI, the engine and the in-memory store. */
module dev.holdfast.core {
  requires static org.jspecify;
  requires jdk.jfr;

  exports dev.holdfast;
  exports dev.holdfast.fence;
  exports dev.holdfast.spi;
  exports dev.holdfast.spi.support;
  exports dev.holdfast.leased;
  exports dev.holdfast.leased.watch;
  exports dev.holdfast.memory;
  exports dev.holdfast.register;

  uses dev.holdfast.spi.LockStoreProvider;

  provides dev.holdfast.spi.LockStoreProvider with
      dev.holdfast.memory.MemoryProvider;
}
