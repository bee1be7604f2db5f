package dev.holdfast.spi;

import java.time.Duration;

/**
 * How a claim leaves.
 *
 * @param claim the claim to end
 * @param linger keeps a granted claim in place for this time, without renewal; only where the store
 *     {@link dev.holdfast.Traits#lingers lingers}. The claim counts as left: refresh answers gone
 *     for it
 * @param tombstone true if the claim's join may still be under way: the store remembers the id for
 *     at least the claim's ttl and refuses that join
 */
public record Departure(Claim claim, Duration linger, boolean tombstone) {

  /** Leaves at once. */
  public static Departure of(Claim claim) {
    return new Departure(claim, Duration.ZERO, false);
  }

  /** Leaves, and keeps out a join that may arrive late. */
  public static Departure withTombstone(Claim claim) {
    return new Departure(claim, Duration.ZERO, true);
  }
}
