package dev.holdfast.foreign.curator;

import dev.holdfast.MultiLease;
import dev.holdfast.MultiLock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/** Several locks at once as one that is bound to the thread. Thread-safe. */
final class BothLocks implements Lock {

  private final MultiLock locks;
  private final ThreadLocal<Deque<MultiLease>> held = ThreadLocal.withInitial(ArrayDeque::new);

  BothLocks(MultiLock locks) {
    this.locks = locks;
  }

  @Override
  public void lock() {
    held.get().push(locks.acquireUninterruptibly());
  }

  @Override
  public void lockInterruptibly() throws InterruptedException {
    held.get().push(locks.acquire());
  }

  @Override
  public boolean tryLock() {
    throw new UnsupportedOperationException("no suite asks for it");
  }

  @Override
  public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
    MultiLease lease = locks.tryAcquire(Duration.of(time, unit.toChronoUnit()));
    if (lease != null) {
      held.get().push(lease);
    }
    return lease != null;
  }

  @Override
  public void unlock() {
    MultiLease lease = held.get().poll();
    if (lease == null) {
      throw new IllegalMonitorStateException("not held by this thread");
    }
    lease.close();
  }

  @Override
  public Condition newCondition() {
    throw new UnsupportedOperationException("no suite asks for it");
  }
}
