package dev.holdfast.engine;

import dev.holdfast.DistributedLock;
import dev.holdfast.DistributedReadWriteLock;
import dev.holdfast.DistributedSemaphore;
import dev.holdfast.Election;
import dev.holdfast.Kind;
import dev.holdfast.LockOptions;
import dev.holdfast.MultiLock;
import dev.holdfast.election.LeaderElection;
import dev.holdfast.engine.state.LockSpec;
import dev.holdfast.multi.OrderedLocks;
import java.util.Collection;

/** What callers can make of a name, on an engine that a test has made. */
record Constructs(Engine engine) {

  DistributedLock mutex(String name, LockOptions options) {
    engine.check(Kind.MUTEX, options);
    return new EngineLock(engine, name, LockSpec.mutex(options));
  }

  DistributedReadWriteLock readWriteLock(String name, LockOptions options) {
    engine.check(Kind.READ_WRITE, options);
    return new EngineReadWriteLock(engine, name, options);
  }

  DistributedSemaphore semaphore(String name, int permits, LockOptions options) {
    engine.check(Kind.SEMAPHORE, options);
    return new EngineSemaphore(engine, name, permits, options);
  }

  MultiLock lockAll(Collection<String> names, LockOptions options) {
    engine.check(Kind.MUTEX, options);
    return new OrderedLocks(engine, names, options);
  }

  Election election(String name, LockOptions options) {
    engine.check(Kind.ELECTION, options);
    return new LeaderElection(engine, name, options);
  }
}
