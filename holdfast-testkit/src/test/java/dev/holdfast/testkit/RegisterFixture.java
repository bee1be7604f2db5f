package dev.holdfast.testkit;

import dev.holdfast.memory.MemoryRegister;
import dev.holdfast.register.RegisterLockStore;
import dev.holdfast.spi.LockStore;
import java.time.Duration;
import java.util.Optional;

/** Locks in a memory register on a clock driven by hand. */
final class RegisterFixture implements StoreFixture {

  private final ManualTicker ticker = new ManualTicker();

  // Mutable state
  private MemoryRegister register = new MemoryRegister(ticker);

  @Override
  public LockStore open() {
    return new RegisterLockStore(register, RegisterLockStore.baseTraits().build(), ticker);
  }

  @Override
  public Optional<ManualTicker> ticker() {
    return Optional.of(ticker);
  }

  /** No other process is excluded: the register is this JVM's. */
  @Override
  public Optional<String> url() {
    return Optional.of("memory:");
  }

  @Override
  public String damage(String lock, String text) {
    long version = register.read(lock).toCompletableFuture().join().orElseThrow().version();
    register.compareAndSet(lock, version, text, Duration.ofMinutes(1));
    return register.place(lock);
  }

  @Override
  public void restart() {
    register = new MemoryRegister(ticker);
  }
}
