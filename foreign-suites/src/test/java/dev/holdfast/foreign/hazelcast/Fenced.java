package dev.holdfast.foreign.hazelcast;

import com.hazelcast.cp.CPGroupId;
import com.hazelcast.cp.lock.FencedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.LeasedLock;
import dev.holdfast.foreign.Clients;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

/** A lock's view as Hazelcast's fenced lock, through the calling thread's client. Thread-safe. */
final class Fenced implements FencedLock {

  private final Clients clients = Clients.current();
  private final String name;
  private final Map<Holdfast, LeasedLock> views = new ConcurrentHashMap<>();
  private final Map<Thread, Integer> holds = new ConcurrentHashMap<>();

  Fenced(String name) {
    this.name = clients.name(name);
  }

  private LeasedLock view() {
    return views.computeIfAbsent(clients.mine(), client -> client.lock(name).asLock());
  }

  private long acquired() {
    holds.merge(Thread.currentThread(), 1, Integer::sum);
    return view().lease().token();
  }

  @Override
  public void lock() {
    lockAndGetFence();
  }

  @Override
  public void lockInterruptibly() throws InterruptedException {
    view().lockInterruptibly();
    acquired();
  }

  @Override
  public long lockAndGetFence() {
    view().lock();
    return acquired();
  }

  @Override
  public boolean tryLock() {
    return tryLockAndGetFence() != INVALID_FENCE;
  }

  @Override
  public long tryLockAndGetFence() {
    return view().tryLock() ? acquired() : INVALID_FENCE;
  }

  @Override
  public boolean tryLock(long time, TimeUnit unit) {
    return tryLockAndGetFence(time, unit) != INVALID_FENCE;
  }

  @Override
  public long tryLockAndGetFence(long time, TimeUnit unit) {
    try {
      return view().tryLock(time, unit) ? acquired() : INVALID_FENCE;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return INVALID_FENCE;
    }
  }

  @Override
  public void unlock() {
    view().unlock();
    holds.computeIfPresent(
        Thread.currentThread(), (thread, count) -> count == 1 ? null : count - 1);
  }

  @Override
  public long getFence() {
    if (!isLockedByCurrentThread()) {
      throw new IllegalMonitorStateException("not held by this thread");
    }
    return view().lease().token();
  }

  @Override
  public boolean isLocked() {
    return !clients.mine().inspect(name).holders().isEmpty();
  }

  @Override
  public boolean isLockedByCurrentThread() {
    return holds.containsKey(Thread.currentThread());
  }

  @Override
  public int getLockCount() {
    return holds.values().stream().mapToInt(Integer::intValue).sum();
  }

  @Override
  public Condition newCondition() {
    throw new UnsupportedOperationException("no conditions");
  }

  @Override
  public CPGroupId getGroupId() {
    throw new UnsupportedOperationException("no groups");
  }

  @Override
  public String getName() {
    return name;
  }

  @Override
  public String getPartitionKey() {
    return name;
  }

  @Override
  public String getServiceName() {
    return "holdfast";
  }

  @Override
  public void destroy() {
    views.keySet().forEach(Holdfast::close);
  }
}
