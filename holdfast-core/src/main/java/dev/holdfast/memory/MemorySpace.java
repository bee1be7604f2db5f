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
 * The locks that some {@link MemoryLockStore}s share: a map of queues, each changed atomically.
 *
 * <p>A lock that nobody uses is forgotten. So that its tokens still rise, the highest token of all
 * forgotten locks is kept, once for the whole space. A lock whose tokens were raised above the
 * clock keeps its own until the clock has passed it, so that no other lock's tokens rise with it.
 */
public final class MemorySpace {

  private final ConcurrentHashMap<String, MemoryQueue> queues = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<String, Long> tombstones = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<String, Long> raised = new ConcurrentHashMap<>();
  private final AtomicLong forgotten = new AtomicLong();

  /** An empty space. */
  public MemorySpace() {}

  JoinAnswer join(Claim claim, boolean wait, MemoryLockStore via) {
    return change(
        claim.lock(),
        via,
        queue -> {
          Long buried = tombstones.isEmpty() ? null : tombstones.get(claim.id());
          if (buried != null && buried - via.ticker().nanoTime() > 0) {
            return new Busy(null);
          }
          return queue.join(claim, wait, via);
        });
  }

  Standing refresh(Claim claim, MemoryLockStore via) {
    return queues.containsKey(claim.lock())
        ? change(claim.lock(), via, queue -> queue.refresh(claim, via))
        : Gone.GONE;
  }

  Left leave(Departure departure, MemoryLockStore via) {
    Claim claim = departure.claim();
    return change(
        claim.lock(),
        via,
        queue -> {
          if (departure.tombstone()) {
            bury(claim, via.ticker());
          }
          return queue.leave(claim, departure.linger());
        });
  }

  boolean evict(String lock, long token, MemoryLockStore via) {
    return queues.containsKey(lock) && change(lock, via, queue -> queue.evict(token));
  }

  LockInfo inspect(String lock, MemoryLockStore via) {
    return queues.containsKey(lock) ? change(lock, via, MemoryQueue::inspect) : LockInfo.free(lock);
  }

  List<LockInfo> list(String prefix, int limit, MemoryLockStore via) {
    NavigableSet<String> names = new TreeSet<>(queues.keySet());
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

  /** How many locks are remembered. */
  int size() {
    return queues.size();
  }

  /**
   * One atomic step on a lock: removes the expired, acts, promotes. Those whose turn has come are
   * woken afterwards, outside the step.
   */
  private <T> T change(String lock, MemoryLockStore via, Function<MemoryQueue, T> act) {
    Step<T> step = new Step<>();
    queues.compute(
        lock,
        (name, existing) -> {
          MemoryQueue queue = existing != null ? existing : queue(name, via.ticker());
          queue.begin(via.ticker());
          step.answer = act.apply(queue);
          queue.promote();
          step.woken = queue.takeWoken();
          if (queue.isEmpty()) {
            forget(name, queue, via.ticker());
            return null;
          }
          queue.scheduleSweep(via, by -> sweep(lock, by));
          return queue;
        });
    for (MemoryLockStore store : step.woken) {
      store.wake(lock);
    }
    return step.answer();
  }

  private MemoryQueue queue(String name, Ticker ticker) {
    Long last = raised.isEmpty() ? null : raised.remove(name);
    return last == null
        ? new MemoryQueue(name, forgotten.get(), false, ticker)
        : new MemoryQueue(name, Math.max(last, forgotten.get()), true, ticker);
  }

  private void forget(String name, MemoryQueue queue, Ticker ticker) {
    long last = queue.lastToken();
    if (!queue.isRaised() || last <= ticker.wallMicros()) {
      forgotten.accumulateAndGet(last, Math::max);
      return;
    }
    long now = ticker.wallMicros();
    raised.values().removeIf(token -> token <= now);
    raised.put(name, last);
  }

  // Nobody calls when a holder dies: the next in line is let in by the clock.
  private void sweep(String lock, MemoryLockStore via) {
    if (queues.containsKey(lock)) {
      change(lock, via, queue -> queue);
    }
  }

  private void bury(Claim claim, Ticker ticker) {
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
