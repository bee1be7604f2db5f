package dev.holdfast.foreign.curator;

import dev.holdfast.Holdfast;
import dev.holdfast.foreign.Clients;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.function.BiFunction;
import org.apache.curator.framework.recipes.locks.InterProcessLock;

/** A lock's view as Curator's interface, through the calling thread's client. Thread-safe. */
public final class Held implements InterProcessLock {

  private final String name;
  private final BiFunction<Holdfast, String, Lock> view;
  private final Clients clients = Clients.current();
  private final Map<Holdfast, Lock> views = new ConcurrentHashMap<>();
  private final AtomicInteger holds = new AtomicInteger();

  /**
   * @param view of the lock of that name
   */
  public Held(String path, BiFunction<Holdfast, String, Lock> view) {
    this.name = clients.name(path);
    this.view = view;
  }

  private Lock lock() {
    return views.computeIfAbsent(clients.mine(), client -> view.apply(client, name));
  }

  @Override
  public void acquire() throws InterruptedException {
    lock().lockInterruptibly();
    holds.incrementAndGet();
  }

  @Override
  public boolean acquire(long time, TimeUnit unit) throws InterruptedException {
    boolean acquired = lock().tryLock(time, unit);
    if (acquired) {
      holds.incrementAndGet();
    }
    return acquired;
  }

  @Override
  public void release() {
    holds.decrementAndGet(); // before another thread can acquire it
    try {
      lock().unlock();
    } catch (IllegalMonitorStateException e) {
      holds.incrementAndGet();
      throw e;
    }
  }

  @Override
  public boolean isAcquiredInThisProcess() {
    return holds.get() > 0;
  }
}
