package dev.holdfast.jdbc;

import dev.holdfast.spi.Claim;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The claims of this client that wait, and when to look after each. Not thread-safe. */
final class Waiters {

  /** A claim that waits. */
  static final class Waiter {
    final String id;
    final String lock;

    // Mutable state
    long due;
    boolean fresh; // next in line since it came, not told of its turn, and not looked after yet
    boolean hinted; // it may have been let in since it was last asked about
    boolean near; // its next look may well find that its turn has come
    int asksLeft; // how often its client may still be told to ask, in place of a poll
    boolean asked; // its client was told so, and the answer is to come

    private Waiter(Claim claim, long due, boolean next, int asks) {
      id = claim.id();
      lock = claim.lock();
      this.due = due;
      fresh = next;
      near = true; // the first look comes about when the turn does, wherever it stands
      asksLeft = asks;
    }

    /** Whether what it is told, or found out by asking, is about its first look. */
    boolean awaitsFirstLook() {
      return fresh && (hinted || asked);
    }
  }

  private static final int MOST_COMING = 256;

  // Mutable state
  private final Map<String, Waiter> byId = new HashMap<>();
  private final Map<String, Long> coming = new HashMap<>(); // of those that are not there yet

  /**
   * Adds it, unless it is there already; it has surely not been let in yet.
   *
   * @param next whether it is the only one that waits, and is not told when its turn comes
   * @param asks how often its client may be told to ask, in place of a poll
   */
  boolean add(Claim claim, long due, boolean next, int asks) {
    Long sooner = coming.remove(claim.id());
    Waiter known = byId.putIfAbsent(claim.id(), new Waiter(claim, due, next, asks));
    if (known != null) {
      known.hinted = false;
    }
    if (sooner != null) {
      dueBy(claim.id(), sooner);
    }
    return known == null;
  }

  /** Makes it due at this time at the latest, also if it is still to be added. */
  void dueBy(String id, long due) {
    Waiter known = byId.get(id);
    if (known == null) {
      if (coming.size() >= MOST_COMING) {
        coming.clear(); // of claims that ended before they came, mostly
      }
      coming.put(id, due);
    } else if (known.due - due > 0) {
      known.due = due;
    }
  }

  @Nullable Waiter find(String id) {
    return byId.get(id);
  }

  /** One of those of this lock has been let in. */
  void hint(String lock) {
    byId.values().stream()
        .filter(waiter -> waiter.lock.equals(lock))
        .forEach(waiter -> waiter.hinted = true);
  }

  void remove(String id) {
    byId.remove(id);
  }

  void clear() {
    byId.clear();
    coming.clear();
  }

  /** Whether the client of one of them was told to ask, and the answer is to come. */
  boolean isAnyAsked() {
    return byId.values().stream().anyMatch(waiter -> waiter.asked);
  }

  /** Makes all of them due at this time. */
  void allDue(long due) {
    byId.values().forEach(waiter -> waiter.due = due);
  }

  /** The earliest time at which one is due; null if none waits. */
  @Nullable Long nextDue() {
    Long next = null;
    for (Waiter waiter : byId.values()) {
      if (next == null || waiter.due - next < 0) {
        next = waiter.due;
      }
    }
    return next;
  }

  /** Those that are due, by lock, of at most so many locks: those that were due first. */
  Map<String, List<Waiter>> due(long now, int maxLocks) {
    Map<String, List<Waiter>> result = new HashMap<>();
    List<Waiter> due = new ArrayList<>(byId.values());
    due.removeIf(waiter -> waiter.due - now > 0);
    due.sort(Comparator.comparingLong(waiter -> waiter.due - now));
    for (Waiter waiter : due) {
      if (result.size() < maxLocks || result.containsKey(waiter.lock)) {
        result.computeIfAbsent(waiter.lock, lock -> new ArrayList<>(1)).add(waiter);
      }
    }
    return result;
  }
}
