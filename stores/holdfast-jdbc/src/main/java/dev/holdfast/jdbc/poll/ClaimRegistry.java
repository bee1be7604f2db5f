package dev.holdfast.jdbc.poll;

import dev.holdfast.spi.Claim;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The waiting claims of this client, and when to look after each. Not thread-safe. */
public final class ClaimRegistry {

  /** A waiting claim. */
  static final class Waiter {
    public final String id;
    public final String lock;

    // Mutable state
    public long due;
    public boolean fresh; // next since it joined, not notified, and not looked after yet
    boolean hinted; // may have been granted since the last answer
    boolean near; // its next look may well find it granted
    int asksLeft; // how often its client may still refresh in place of a poll
    public boolean asked; // its client was asked to refresh, and is not answered yet

    private Waiter(Claim claim, long due, boolean next, int asks) {
      id = claim.id();
      lock = claim.lock();
      this.due = due;
      fresh = next;
      near = true; // the first look is about when its turn comes, at any position
      asksLeft = asks;
    }

    /** Returns whether the next answer about it is the result of its first look. */
    boolean awaitsFirstLook() {
      return fresh && (hinted || asked);
    }
  }

  private static final int MOST_COMING = 256;

  // Mutable state
  private final Map<String, Waiter> byId = new HashMap<>();
  private final Map<String, Long> coming = new HashMap<>(); // due times of claims to be added

  /**
   * Adds a claim unless it is registered; it is certainly not granted yet.
   *
   * @param next whether it is the only one that waits, and its client is not notified of its grant
   * @param asks how often its client may refresh in place of a poll
   */
  public boolean add(Claim claim, long due, boolean next, int asks) {
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

  /** Makes it due at this time at the latest, even if it is still to be added. */
  void dueBy(String id, long due) {
    Waiter known = byId.get(id);
    if (known == null) {
      if (coming.size() >= MOST_COMING) {
        coming.clear(); // mostly of claims that ended before they were added
      }
      coming.put(id, due);
    } else if (known.due - due > 0) {
      known.due = due;
    }
  }

  public @Nullable Waiter find(String id) {
    return byId.get(id);
  }

  /** Notes that a claim of this lock has been granted. */
  void hint(String lock) {
    byId.values().stream()
        .filter(waiter -> waiter.lock.equals(lock))
        .forEach(waiter -> waiter.hinted = true);
  }

  public void remove(String id) {
    byId.remove(id);
  }

  public void clear() {
    byId.clear();
    coming.clear();
  }

  /** Returns whether a client was asked to refresh and has not been answered yet. */
  boolean isAnyAsked() {
    return byId.values().stream().anyMatch(waiter -> waiter.asked);
  }

  /** Makes all of them due at this time. */
  void allDue(long due) {
    byId.values().forEach(waiter -> waiter.due = due);
  }

  /** Returns the earliest time at which one is due; null if none waits. */
  @Nullable Long nextDue() {
    Long next = null;
    for (Waiter waiter : byId.values()) {
      if (next == null || waiter.due - next < 0) {
        next = waiter.due;
      }
    }
    return next;
  }

  /**
   * Returns the claims that are due, by lock, of at most {@code maxLocks} locks: the longest
   * overdue.
   */
  public Map<String, List<Waiter>> due(long now, int maxLocks) {
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
