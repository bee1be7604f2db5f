package dev.holdfast.engine;

import dev.holdfast.Kind;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/** A lock as {@link Lock}: bound to the thread, reentrant. */
final class LockView implements Lock {

  private final Engine engine;
  private final String name;
  private final LockSpec spec;

  LockView(Engine engine, String name, LockSpec spec) {
    if (!spec.reentrant) {
      throw new IllegalArgumentException(
          "the lock view of '"
              + name
              + "' needs reentrant(true): it finds its lease by the thread");
    }
    this.engine = engine;
    this.name = name;
    this.spec = spec;
  }

  @Override
  public void lock() {
    try {
      engine.acquire(name, spec, null, false);
    } catch (InterruptedException e) {
      throw new AssertionError("an uninterruptible wait was interrupted", e);
    }
  }

  @Override
  public void lockInterruptibly() throws InterruptedException {
    engine.acquire(name, spec, null, true);
  }

  @Override
  public boolean tryLock() {
    if (wouldUpgrade()) {
      return false;
    }
    try {
      return engine.acquire(name, spec, Request.NO_WAIT, false) != null;
    } catch (InterruptedException e) {
      throw new AssertionError("an uninterruptible wait was interrupted", e);
    }
  }

  @Override
  public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
    Duration wait = Duration.ofNanos(Math.max(0, Math.min(unit.toNanos(time), Long.MAX_VALUE / 4)));
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted before waiting for '" + name + "'");
    }
    return !wouldUpgrade() && engine.acquire(name, spec, wait, true) != null;
  }

  /** A try says no where waiting could never succeed, as the JDK's does. */
  private boolean wouldUpgrade() {
    if (spec.kind != Kind.READ_WRITE || spec.isReading()) {
      return false;
    }
    Hold hold = engine.heldBy(Thread.currentThread(), name);
    return hold != null && hold.spec.kind == spec.kind && !hold.isEntered(false);
  }

  @Override
  public void unlock() {
    Hold hold = engine.heldBy(Thread.currentThread(), name);
    if (hold == null || hold.spec.kind != spec.kind || !hold.isEntered(spec.isReading())) {
      throw new IllegalMonitorStateException(
          "'" + name + "' is not held by thread " + Thread.currentThread().getName());
    }
    new EngineLease(hold, spec).close();
  }

  @Override
  public Condition newCondition() {
    throw new UnsupportedOperationException(
        "a distributed lock has no conditions: a signal cannot reach a waiter on another machine;"
            + " poll the condition, or use a queue of your store");
  }

  @Override
  public String toString() {
    return "Lock[" + name + "]";
  }
}
