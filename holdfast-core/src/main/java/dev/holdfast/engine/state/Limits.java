package dev.holdfast.engine.state;

import dev.holdfast.Traits;
import java.time.Duration;

/**
 * The bounds that all locks of a client share. Immutable.
 *
 * @param operationTimeout how long one operation may take, in nanoseconds
 * @param queues whether the store keeps waiters in a queue
 * @param ownTtl whether each claim has a ttl of its own, which a renewal may shorten
 * @param minTtl the shortest ttl that the store takes, in nanoseconds
 * @param ttlResolution what the store rounds ttls up to, in nanoseconds
 */
public record Limits(
    long operationTimeout, boolean queues, boolean ownTtl, long minTtl, long ttlResolution) {

  /** Of a client of a store with these traits. */
  public static Limits of(Duration operationTimeout, Traits traits) {
    return new Limits(
        operationTimeout.toNanos(),
        traits.fair(),
        traits.ownTtl(),
        traits.minTtl().toNanos(),
        Math.max(1, traits.ttlResolution().toNanos()));
  }

  /** The shortest ttl that the store can keep a claim for and that is not shorter than this. */
  long ttlOf(long nanos) {
    long rounded = Math.floorDiv(nanos + ttlResolution - 1, ttlResolution) * ttlResolution;
    return Math.max(rounded, minTtl);
  }
}
