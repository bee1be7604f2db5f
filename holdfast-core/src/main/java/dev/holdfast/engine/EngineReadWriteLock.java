package dev.holdfast.engine;

import static dev.holdfast.PrintableText.quote;

import dev.holdfast.DistributedLock;
import dev.holdfast.DistributedReadWriteLock;
import dev.holdfast.Kind;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreException;
import dev.holdfast.engine.state.Hold;
import dev.holdfast.engine.state.LockSpec;
import java.lang.System.Logger.Level;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

/** The two sides of one name. */
public final class EngineReadWriteLock implements DistributedReadWriteLock {

  private static final System.Logger LOG = System.getLogger("dev.holdfast");

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
    Hold hold = lease.hold;
    if (lease.reading || hold.spec.kind != Kind.READ_WRITE) {
      throw new IllegalArgumentException("the lease on " + quote(name()) + " is no write lease");
    }
    if (!lease.isValid() || !hold.enterAgain(true)) {
      throw lease.over();
    }
    EngineLease reader = new EngineLease(lease.engine, lease.shell, hold, true);
    if (lease.isClosed()) { // by another thread in between
      var unused = reader.releaseAsync();
      throw lease.over();
    }
    try {
      lease.engine.await(lease.end());
    } catch (StoreException e) {
      LOG.log(Level.WARNING, e.getMessage()); // the next renewal tells the store
    }
    return reader;
  }

  @Override
  public ReadWriteLock asReadWriteLock() {
    return new View(readLock.asLock(), writeLock.asLock());
  }

  private record View(Lock readLock, Lock writeLock) implements ReadWriteLock {}
}
