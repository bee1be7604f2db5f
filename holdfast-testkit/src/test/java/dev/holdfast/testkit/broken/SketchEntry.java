package dev.holdfast.testkit.broken;

import dev.holdfast.ClaimInfo;
import dev.holdfast.Mode;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.LockStore;
import java.time.Duration;

/** A claim as the sketch has recorded it. */
final class SketchEntry {
  final SketchStore via;
  final long since;

  // Mutable state
  Claim claim;
  long until;
  long token;
  boolean left;

  SketchEntry(Claim claim, SketchStore via, long since) {
    this.claim = claim;
    this.via = via;
    this.since = since;
  }

  boolean isGranted() {
    return token != 0;
  }

  boolean isNamedBy(long wanted, long last) {
    boolean exclusive = claim.mode() == Mode.EXCLUSIVE;
    return wanted == LockStore.ANY_TOKEN
        || wanted == token
        || (exclusive && wanted > token && wanted <= last);
  }

  ClaimInfo info(long now, long last) {
    return new ClaimInfo(
        claim.owner(),
        claim.mode(),
        claim.weight(),
        token,
        isGranted() ? last : 0,
        Duration.ofNanos(now - since),
        Duration.ofNanos(until - now),
        isGranted() && !left && claim.keepable(),
        claim.value());
  }
}
