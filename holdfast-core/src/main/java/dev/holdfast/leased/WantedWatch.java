package dev.holdfast.leased;

import dev.holdfast.leased.ClaimRecord.StoredKey;
import dev.holdfast.leased.ClaimRegistry.ClaimKey;
import dev.holdfast.leased.ClaimRegistry.Place;
import dev.holdfast.spi.Observers;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
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

  private static Set<String> plus(Set<String> keys, String key) {
    Set<String> more = new HashSet<>(keys);
    more.add(key);
    return more;
  }

  private static Set<String> minus(Set<String> keys, String key) {
    Set<String> fewer = new HashSet<>(keys);
    fewer.remove(key);
    return fewer;
  }

  /** A keepable claim, and the keys behind it. */
  private final class Keepable implements KeyWatches.Listener {
    private final ClaimKey claim;
    private final Place place;
    private final AtomicReference<Set<String>> behind = new AtomicReference<>(Set.of());

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
      if (isBehind(now) && behind.getAndUpdate(keys -> plus(keys, now.key())).isEmpty()) {
        observers.wake(claim.lock());
      }
    }

    @Override
    public void deleted(String key) {
      if (key.equals(place.key())) {
        claimEnded();
      } else {
        behind.updateAndGet(keys -> minus(keys, key));
      }
    }

    @Override
    public boolean found(Collection<StoredKey> now) {
      if (now.stream().noneMatch(one -> one.created() == place.created())) {
        claimEnded();
        return true;
      }
      Set<String> keys =
          now.stream().filter(this::isBehind).map(StoredKey::key).collect(Collectors.toSet());
      if (Collections.disjoint(behind.getAndSet(keys), keys) && !keys.isEmpty()) {
        observers.wake(claim.lock());
      }
      return ended;
    }

    /** Its client need not have let it leave: it was detached, or nobody reaches it any more. */
    private void claimEnded() {
      refused();
      claims.remove(claim, this);
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
