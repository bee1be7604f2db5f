package dev.holdfast.engine;

import static dev.holdfast.PrintableText.escape;
import static dev.holdfast.PrintableText.quote;

import dev.holdfast.Kind;
import dev.holdfast.Lease;
import dev.holdfast.LeasedLock;
import dev.holdfast.StoreException;
import dev.holdfast.engine.state.Hold;
import dev.holdfast.engine.state.LockSpec;
import dev.holdfast.engine.state.Request;
import java.lang.System.Logger.Level;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/** A lock as {@link java.util.concurrent.locks.Lock}: bound to the thread, reentrant. */
final class LockView implements LeasedLock {

  private static final System.Logger LOG = System.getLogger("dev.holdfast");

  private final Engine engine;
  private final String name;
  private final LockSpec spec;

  LockView(Engine engine, String name, LockSpec spec) {
    if (!spec.reentrant) {
      throw new IllegalArgumentException(
          "the lock view of "
              + quote(name)
              + " needs reentrant(true): it finds its lease by the thread");
    }
    this.engine = engine;
    this.name = name;
    this.spec = spec;
  }

  @Override
  public void lock() {
    uninterruptibly(Request.FOR_EVER);
  }

  @Override
  public void lockInterruptibly() throws InterruptedException {
    viewed(engine.acquire(name, spec, Request.FOR_EVER, true));
  }

  @Override
  public boolean tryLock() {
    return !wouldUpgrade() && uninterruptibly(0);
  }

  @Override
  public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
    long wait = Math.max(0, Math.min(unit.toNanos(time), EngineLock.LONGEST_NANOS));
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted before waiting for " + quote(name));
    }
    return !wouldUpgrade() && viewed(engine.acquire(name, spec, wait, true));
  }

  private boolean uninterruptibly(long waitNanos) {
    try {
      return viewed(engine.acquire(name, spec, waitNanos, false));
    } catch (InterruptedException e) {
      throw new AssertionError("an uninterruptible wait was interrupted", e);
    }
  }

  private static boolean viewed(@Nullable EngineLease lease) {
    if (lease != null) {
      lease.hold.ofView = true;
    }
    return lease != null;
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
  public Lease lease() {
    return new ViewLease(held());
  }

  private EngineLease held() {
    LockShell shell = engine.find(name);
    Hold hold = engine.heldBy(Thread.currentThread(), name);
    if (shell == null
        || hold == null
        || hold.spec.kind != spec.kind
        || !hold.isEntered(spec.isReading())) {
      throw new IllegalMonitorStateException(
          quote(name) + " is not held by thread " + escape(Thread.currentThread().getName()));
    }
    return new EngineLease(engine, shell, hold, spec.isReading());
  }

  @Override
  public void unlock() {
    EngineLease lease = held();
    try {
      if (!engine.await(lease.end()) && !lease.isEndedWithClient()) {
        throw lease.gone();
      }
    } catch (StoreException unanswered) { // no answer is no loss
      LOG.log(Level.WARNING, unanswered.getMessage());
    }
  }

  /** The lease of a view: one verb ends an entry, and that is the view's own. */
  private final class ViewLease extends EngineLease {

    ViewLease(EngineLease lease) {
      super(lease);
    }

    @Override
    public boolean release() {
      throw refused();
    }

    @Override
    public CompletableFuture<Boolean> releaseAsync() {
      throw refused();
    }

    @Override
    public void close() {
      throw refused();
    }

    private UnsupportedOperationException refused() {
      return new UnsupportedOperationException(
          "the lease of a lock view ends with unlock() of the view of " + quote(name));
    }
  }

  @Override
  public Condition newCondition() {
    throw new UnsupportedOperationException(
        "a distributed lock has no conditions: a signal cannot reach a waiter on another machine;"
            + " poll the condition, or use a queue of your store");
  }

  @Override
  public String toString() {
    return "Lock[" + escape(name) + "]";
  }
}
