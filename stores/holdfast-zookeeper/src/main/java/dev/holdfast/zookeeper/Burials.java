package dev.holdfast.zookeeper;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Ticker;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The claims that were taken back before their join was answered: a join that still comes for one
 * of them enters nothing. They outlast a session, because such a join may be on its way to this
 * client when the session ends.
 *
 * <p><b>Threads.</b> Safe for any.
 */
final class Burials {

  private final Ticker ticker;

  // Mutable state
  private final ConcurrentHashMap<Place.Key, Long> ends = new ConcurrentHashMap<>();

  Burials(Ticker ticker) {
    this.ticker = ticker;
  }

  /** Keeps the claim out for its ttl. */
  void bury(Claim claim) {
    Place.Key key = Place.Key.of(claim);
    Long end = ticker.nanoTime() + claim.ttl().toNanos();
    ends.put(key, end);
    ticker.schedule(claim.ttl(), () -> ends.remove(key, end));
  }

  boolean holds(Place.Key key) {
    return ends.containsKey(key);
  }
}
