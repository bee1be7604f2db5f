package dev.holdfast.testkit;

import dev.holdfast.memory.MemoryLockStore;
import dev.holdfast.memory.MemorySpace;
import dev.holdfast.spi.LockStore;
import java.util.Optional;

/** The memory store on a clock driven by hand: a separate space for each fixture. */
public final class MemoryFixture implements StoreFixture {

  private final ManualTicker ticker = new ManualTicker();

  // Mutable state
  private MemorySpace space = new MemorySpace();

  /** With an empty space. */
  public MemoryFixture() {}

  @Override
  public LockStore open() {
    return new MemoryLockStore(space, ticker);
  }

  @Override
  public Optional<ManualTicker> ticker() {
    return Optional.of(ticker);
  }

  @Override
  public Optional<String> url() {
    return Optional.of("memory:");
  }

  /** As a restart of the process: everything is forgotten. */
  @Override
  public void restart() {
    space = new MemorySpace();
  }
}
