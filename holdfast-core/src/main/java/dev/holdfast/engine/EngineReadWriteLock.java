package dev.holdfast.engine;

import static dev.holdfast.spi.support.PrintableText.quote;

import dev.holdfast.DistributedLock;
import dev.holdfast.DistributedReadWriteLock;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.engine.state.LockSpec;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

/** The two sides of one name. */
public final class EngineReadWriteLock implements DistributedReadWriteLock {

  private final DistributedLock readLock;
  private final DistributedLock writeLock;

  /** Of this client. */
  public EngineReadWriteLock(Engine engine, String name, LockOptions options) {
    readLock = new EngineLock(engine, name, LockSpec.reading(options));
    writeLock = new EngineLock(engine, name, LockSpec.writing(options));
  }

  @Override
  public String name() {
    return readLock.name();
  }

  @Override
  public LockOptions options() {
    return readLock.options();
  }

  @Override
  public DistributedLock readLock() {
    return readLock;
  }

  @Override
  public DistributedLock writeLock() {
    return writeLock;
  }

  @Override
  public Lease downgrade(Lease writing) {
    if (!(writing instanceof EngineLease lease) || !lease.lockName().equals(name())) {
      throw new IllegalArgumentException(writing + " is no lease on " + quote(name()));
    }
    return lease.downgraded();
  }

  @Override
  public ReadWriteLock asReadWriteLock() {
    return new View(readLock.asLock(), writeLock.asLock());
  }

  private record View(Lock readLock, Lock writeLock) implements ReadWriteLock {}
}
