package dev.holdfast.engine;

import dev.holdfast.DistributedLock;
import dev.holdfast.DistributedReadWriteLock;
import dev.holdfast.DistributedSemaphore;
import dev.holdfast.Election;
import dev.holdfast.Kind;
import dev.holdfast.LockOptions;
import dev.holdfast.Traits;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * What callers can make of a name. Each is refused here if the store cannot keep that kind of lock
 * or honour the options. Any threads.
 */
public final class Constructs {

  private final Engine engine;

  // Mutable state: nearly all mutexes of a client have the same options, and can share this
  private volatile @Nullable LockSpec mutex;

  /** On this client. */
  public Constructs(Engine engine) {
    this.engine = engine;
  }

  /** A mutex of this name. */
  public DistributedLock mutex(String name, LockOptions options) {
    check(Kind.MUTEX, options);
    return new EngineLock(engine, name, mutex(options));
  }

  /** A read-write lock of this name. */
  public DistributedReadWriteLock readWriteLock(String name, LockOptions options) {
    check(Kind.READ_WRITE, options);
    return new EngineReadWriteLock(engine, name, options);
  }

  /** A semaphore of this name. */
  public DistributedSemaphore semaphore(String name, int permits, LockOptions options) {
    check(Kind.SEMAPHORE, options);
    return new EngineSemaphore(engine, name, permits, options);
  }

  /** Several mutexes as one. */
  public DistributedLock lockAll(Collection<String> names, LockOptions options) {
    check(Kind.MUTEX, options);
    return new MultiLock(engine, names, options);
  }

  /** An election of this name. */
  public Election election(String name, LockOptions options) {
    check(Kind.ELECTION, options);
    if (!options.minHold().isZero()) {
      throw new IllegalArgumentException(
          "minHold must be zero for an election: who has resigned would still be shown as leader");
    }
    return new EngineElection(engine, name, options);
  }

  /** Runs a job unless somebody else does. */
  public boolean runLocked(String name, LockOptions options, Runnable job)
      throws InterruptedException {
    check(Kind.MUTEX, options);
    return new Job(new EngineLock(engine, name, mutex(options)), job).run();
  }

  private LockSpec mutex(LockOptions options) {
    LockSpec last = mutex;
    if (last != null && last.options.equals(options)) {
      return last;
    }
    LockSpec made = LockSpec.mutex(options);
    mutex = made;
    return made;
  }

  private void check(Kind kind, LockOptions options) {
    options.check();
    Traits traits = engine.traits();
    traits.check(engine.toString(), options);
    if (!traits.kinds().contains(kind)) {
      throw new UnsupportedOperationException(engine + " cannot keep a lock of kind " + kind);
    }
  }
}
