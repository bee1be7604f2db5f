package dev.holdfast.leased;

import dev.holdfast.leased.ClaimRecord.StoredKey;
import dev.holdfast.leased.ClaimRegistry.ClaimKey;
import dev.holdfast.leased.ClaimRegistry.Place;
import dev.holdfast.spi.Observers;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Notices when another claim waits behind a keepable one: its client may keep that one idle. What
 * it misses, the next renewal says. Thread-safe.
 */
final class WantedWatch {

  private final KeyWatches watches;
  private final Observers observers;
  private final ConcurrentHashMap<ClaimKey, Keepable> claims = new ConcurrentHashMap<>();

  WantedWatch(KeyWatches watches, Observers observers) {
    this.watches = watches;
    this.observers = observers;
  }

  /** The claim is granted and keepable, and no claim waited behind it at this revision. */
  void watch(ClaimKey claim, Place place, long revision) {
    Keepable known = claims.get(claim);
    if (known != null && known.watches(place)) {
      return;
    }
    Keepable fresh = new Keepable(claim, place);
    Keepable before = claims.put(claim, fresh);
    if (before != null) {
      watches.remove(before);
    }
    watches.add(fresh, new KeyWatches.Target(claim.lock(), null), revision + 1);
    if (claims.get(claim) != fresh) { // the claim has left meanwhile
      watches.remove(fresh);
    }
  }

  /**
   * @return true if the claim was keepable at last
   */
  boolean contains(ClaimKey claim) {
    return claims.containsKey(claim);
  }

  /** The claim is not keepable any more, or has ended. */
  void drop(ClaimKey claim) {
    Keepable known = claims.isEmpty() ? null : claims.remove(claim);
    if (known != null) {
      watches.remove(known);
    }
  }

  /** A keepable claim, and the keys behind it. */
  private final class Keepable implements KeyWatches.Listener {
    private final ClaimKey claim;
    private final Place place;
    private final Set<String> behind = new HashSet<>();

    // Mutable state
    private volatile boolean ended;

    Keepable(ClaimKey claim, Place place) {
      this.claim = claim;
      this.place = place;
    }

    boolean watches(Place at) {
      return !ended && place.equals(at);
    }

    private boolean isBehind(StoredKey stored) {
      return stored.created() > place.created();
    }

    @Override
    public void changed(StoredKey now) {
      if (isBehind(now) && isFirst(now.key())) {
        observers.wake(claim.lock());
      }
    }

    private synchronized boolean isFirst(String key) {
      return behind.add(key) && behind.size() == 1;
    }

    @Override
    public synchronized void deleted(String key) {
      behind.remove(key);
    }

    @Override
    public boolean found(Collection<StoredKey> now) {
      if (isOthers(
          now.stream().filter(this::isBehind).map(StoredKey::key).collect(Collectors.toSet()))) {
        observers.wake(claim.lock());
      }
      return ended;
    }

    /** Returns whether there are some, and none that was there before. */
    private synchronized boolean isOthers(Set<String> now) {
      behind.retainAll(now);
      boolean others = behind.isEmpty() && !now.isEmpty();
      behind.addAll(now);
      return others;
    }

    /** The watch that is opened again misses nothing. */
    @Override
    public void interrupted() {}

    /** The next renewal opens another watch. */
    @Override
    public void missed() {
      refused();
      observers.wake(claim.lock());
    }

    @Override
    public void refused() {
      ended = true;
      watches.remove(this);
    }
  }
}
