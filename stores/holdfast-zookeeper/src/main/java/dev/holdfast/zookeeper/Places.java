package dev.holdfast.zookeeper;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The claims of one session, and when each of them ends.
 *
 * <p>ZooKeeper ends claims with their session, not one by one. A claim that nobody renews while the
 * session lives is ended from here.
 *
 * <p><b>Threads.</b> Safe for any.
 */
final class Places {

  private static final long NEVER = Long.MAX_VALUE;

  private final Ticker ticker;
  private final Consumer<Place> onDeath;
  private final long start;

  // Mutable state
  private final ConcurrentHashMap<Place.Key, Place> places = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<String, Place> byPath = new ConcurrentHashMap<>();
  private final AtomicLong nextSweep = new AtomicLong(NEVER); // since start

  Places(Ticker ticker, Consumer<Place> onDeath) {
    this.ticker = ticker;
    this.onDeath = onDeath;
    this.start = ticker.nanoTime();
  }

  @Nullable Place get(Place.Key key) {
    return places.get(key);
  }

  @Nullable Place at(String path) {
    return byPath.get(path);
  }

  Collection<Place> all() {
    return places.values();
  }

  /** Returns the place that is there already, or null if it is this one now. */
  @Nullable Place add(Place place) {
    return places.putIfAbsent(place.key, place);
  }

  /** The claim's node is there. Returns false if the claim has ended meanwhile. */
  boolean found(Place place, Place.State before, String path, long token, long deadline) {
    place.path = path;
    place.token = token;
    byPath.put(path, place);
    if (place.move(before, Place.State.THERE, deadline)) {
      sweepAt(deadline);
      return true;
    }
    byPath.remove(path, place);
    return false;
  }

  /** Returns whether it had not ended before. */
  boolean end(Place place) {
    boolean first = place.end();
    places.remove(place.key, place);
    byPath.remove(place.path, place);
    return first;
  }

  /** Nobody knows whether the claim has a node, and nobody may ask for it again. */
  void uncertain(Place place, long deadline) {
    if (place.move(Place.State.JOINING, Place.State.UNCERTAIN, deadline)) {
      sweepAt(deadline);
    }
  }

  /** Renewed by something that was sent at this time. Returns false if that came too late. */
  boolean arm(Place place, long sent) {
    Claim claim = place.claim;
    Duration ttl = place.granted ? claim.ttl() : claim.waitingTtl();
    long until = sent + ttl.toNanos();
    sweepAt(until);
    return place.live(until, ticker.nanoTime());
  }

  void endAll() {
    all().forEach(this::end);
  }

  private void sweepAt(long time) {
    long at = time - start;
    if (at < nextSweep.getAndAccumulate(at, Math::min)) {
      long delay = Math.max(0, time - ticker.nanoTime());
      ticker.schedule(Duration.ofNanos(delay), () -> sweep(at));
    }
  }

  private void sweep(long at) {
    if (!nextSweep.compareAndSet(at, NEVER)) {
      return; // an earlier one was asked for since, and plans the next
    }
    long now = ticker.nanoTime();
    long next = NEVER;
    for (Place place : all()) {
      if (place.expire(now)) {
        end(place);
        onDeath.accept(place);
      } else if (!place.is(Place.State.JOINING)) {
        next = Math.min(next, place.deadline() - start);
      }
    }
    if (next != NEVER) {
      sweepAt(start + next);
    }
  }
}
