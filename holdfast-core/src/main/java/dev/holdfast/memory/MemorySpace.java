package dev.holdfast.memory;

import dev.holdfast.LockInfo;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The locks that several {@link MemoryLockStore}s share, each changed atomically.
 *
 * <p>A lock without claims is forgotten. So that its tokens still rise, the highest token of all
 * forgotten locks is kept, once for the whole space. A lock whose tokens were raised above the
 * clock keeps its own until the clock has passed it, so that no other lock's tokens rise with it.
 */
public final class MemorySpace {

  private final ConcurrentHashMap<String, MemoryLock> locks = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<String, Long> tombstones = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<String, Long> raised = new ConcurrentHashMap<>();
  private final AtomicLong forgotten = new AtomicLong();

  /** An empty space. */
  public MemorySpace() {}

  JoinAnswer join(Claim claim, boolean wait, MemoryLockStore via) {
    return change(
        claim.lock(),
        via,
        lock -> {
          Long until = tombstones.isEmpty() ? null : tombstones.get(claim.id());
          if (until != null && until - via.ticker().nanoTime() > 0) {
            return new Busy(null);
          }
          return lock.join(claim, wait);
        });
  }

  Standing refresh(Claim claim, MemoryLockStore via) {
    return locks.containsKey(claim.lock())
        ? change(claim.lock(), via, lock -> lock.refresh(claim))
        : Gone.GONE;
  }

  Left leave(Departure departure, MemoryLockStore via) {
    Claim claim = departure.claim();
    return change(
        claim.lock(),
        via,
        lock -> {
          if (departure.tombstone()) {
            addTombstone(claim, via.ticker());
          }
          return lock.leave(claim, departure.linger());
        });
  }

  boolean evict(String name, long token, MemoryLockStore via) {
    return locks.containsKey(name) && change(name, via, lock -> lock.evict(token));
  }

  LockInfo inspect(String name, MemoryLockStore via) {
    return locks.containsKey(name) ? change(name, via, MemoryLock::inspect) : LockInfo.free(name);
  }

  List<LockInfo> list(String prefix, int limit, MemoryLockStore via) {
    NavigableSet<String> names = new TreeSet<>(locks.keySet());
    List<LockInfo> result = new ArrayList<>();
    for (String name : names.tailSet(prefix)) {
      if (!name.startsWith(prefix) || result.size() == limit) {
        break;
      }
      LockInfo info = inspect(name, via);
      if (info.isHeld() || !info.waiters().isEmpty()) {
        result.add(info);
      }
    }
    return result;
  }

  /**
   * @return the number of locks with a claim
   */
  int size() {
    return locks.size();
  }

  /**
   * One atomic step on a lock: removes expired claims, acts, promotes. The stores of promoted
   * claims are woken afterwards, outside the step.
   */
  private <T> T change(String name, MemoryLockStore via, Function<MemoryLock, T> act) {
    Step<T> step = new Step<>();
    locks.compute(
        name,
        (same, existing) -> {
          MemoryLock lock = existing != null ? existing : create(name, via);
          lock.begin(via);
          step.answer = act.apply(lock);
          step.woken = lock.end();
          if (lock.isEmpty()) {
            forget(name, lock, via.ticker());
            return null;
          }
          lock.scheduleSweep(by -> sweep(name, by));
          return lock;
        });
    for (MemoryLockStore store : step.woken) {
      store.wake(name);
    }
    return step.answer();
  }

  private MemoryLock create(String name, MemoryLockStore via) {
    Long last = raised.isEmpty() ? null : raised.remove(name);
    return last == null
        ? new MemoryLock(name, forgotten.get(), false, via)
        : new MemoryLock(name, Math.max(last, forgotten.get()), true, via);
  }

  private void forget(String name, MemoryLock lock, Ticker ticker) {
    long last = lock.lastToken();
    if (!lock.isRaised() || last <= ticker.wallMicros()) {
      forgotten.accumulateAndGet(last, Math::max);
      return;
    }
    long now = ticker.wallMicros();
    raised.values().removeIf(token -> token <= now);
    raised.put(name, last);
  }

  // No client calls when a holder dies: the clock grants the next claim.
  private void sweep(String name, MemoryLockStore via) {
    if (locks.containsKey(name)) {
      change(name, via, lock -> lock);
    }
  }

  private void addTombstone(Claim claim, Ticker ticker) {
    long now = ticker.nanoTime();
    tombstones.values().removeIf(until -> until - now <= 0);
    tombstones.put(claim.id(), now + claim.ttl().toNanos());
  }

  private static final class Step<T> {
    @Nullable T answer;
    List<MemoryLockStore> woken = List.of();

    T answer() {
      T result = answer;
      if (result == null) {
        throw new IllegalStateException("a step always answers");
      }
      return result;
    }
  }
}
