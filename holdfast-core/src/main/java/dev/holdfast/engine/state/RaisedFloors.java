package dev.holdfast.engine.state;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The floors that were raised for single locks, each for an hour, and the last {@value #MOST} of
 * them at most. An hour is long enough: the next join or renewal of the lock writes the floor into
 * its record. Thread-safe; reading takes no lock, because every acquisition reads.
 */
final class RaisedFloors {

  static final int MOST = 1000;
  static final long AGE_NANOS = TimeUnit.HOURS.toNanos(1);

  record Raised(long token, long at) {
    boolean isOver(long now) {
      return now - at >= AGE_NANOS;
    }
  }

  private final ReentrantLock mutex = new ReentrantLock();

  // Mutable state: copied when it changes, which is seldom; the oldest first
  volatile Map<String, Raised> floors = Map.of();

  /** The floor of this lock, 0 if there is none. */
  long of(String lock, long now) {
    Map<String, Raised> current = floors;
    Raised raised = current.isEmpty() ? null : current.get(lock);
    return raised == null || raised.isOver(now) ? 0 : raised.token;
  }

  /** Raises the floor of this lock; it never falls within its time. */
  void raise(String lock, long token, long now) {
    mutex.lock();
    try {
      floors = raised(floors, lock, token, now);
    } finally {
      mutex.unlock();
    }
  }

  int size() {
    return floors.size();
  }

  private static Map<String, Raised> raised(
      Map<String, Raised> current, String lock, long token, long now) {
    Map<String, Raised> next = new LinkedHashMap<>(current);
    next.values().removeIf(raised -> raised.isOver(now));
    Raised before = next.remove(lock);
    long greater = before == null ? token : Math.max(token, before.token);
    if (next.size() == MOST) {
      next.remove(next.keySet().iterator().next());
    }
    next.put(lock, new Raised(greater, now));
    return next;
  }
}
