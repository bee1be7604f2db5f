package dev.holdfast.testkit.simulation;

import dev.holdfast.Lease;
import dev.holdfast.testkit.promise.History.Attempt;
import dev.holdfast.testkit.promise.What;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The leases that callers have not given back. Not thread-safe. */
final class Holds {

  /** A lease that a caller has not given back. Not thread-safe. */
  static final class Held {

    final ClientProcess client;
    final String lock;
    final Attempt attempt;
    final Lease lease;

    // Mutable state
    private boolean over;
    private boolean told;

    Held(ClientProcess client, String lock, Attempt attempt, Lease lease) {
      this.client = client;
      this.lock = lock;
      this.attempt = attempt;
      this.lease = lease;
    }

    boolean isOver() {
      return over;
    }

    /** Records it when the lease has stopped to call itself valid. */
    void look() {
      if (!over && !lease.isValid()) {
        over = true;
        attempt.is(What.OVER);
      }
    }

    void lost() {
      if (!told) {
        told = true;
        over = true;
        attempt.is(What.LOST);
      }
    }
  }

  private final Map<String, List<Held>> byLock = new HashMap<>();

  Held add(ClientProcess client, String lock, Attempt attempt, Lease lease) {
    Held hold = new Held(client, lock, attempt, lease);
    byLock.computeIfAbsent(lock, key -> new ArrayList<>()).add(hold);
    return hold;
  }

  /** Its caller gives it back. */
  void remove(Held hold) {
    of(hold.lock).remove(hold);
  }

  boolean has(Held hold) {
    return of(hold.lock).contains(hold);
  }

  /** {@return whether a caller of this client has the lock} */
  boolean has(ClientProcess client, String lock) {
    return of(lock).stream().anyMatch(hold -> hold.client == client);
  }

  /** Records which leases of the lock have stopped to call themselves valid. */
  void look(String lock) {
    of(lock).forEach(Held::look);
  }

  /** The client is about to close, and gives all of its leases back. */
  void release(ClientProcess client) {
    for (List<Held> some : byLock.values()) {
      for (Held hold : some) {
        if (hold.client == client) {
          hold.look();
          hold.attempt.is(What.RELEASING);
        }
      }
    }
  }

  /** The client is gone. */
  void forget(ClientProcess client) {
    byLock.values().forEach(some -> some.removeIf(hold -> hold.client == client));
  }

  private List<Held> of(String lock) {
    return byLock.getOrDefault(lock, List.of());
  }
}
