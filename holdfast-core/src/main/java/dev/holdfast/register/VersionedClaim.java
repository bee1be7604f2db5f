package dev.holdfast.register;

import dev.holdfast.ClaimInfo;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Register;
import dev.holdfast.spi.Tokens;
import java.time.Duration;

/**
 * A claim as it was last seen. With its version, the next change of it takes one round trip.
 *
 * @param record with its token filled in
 * @param version of the write that left this record
 * @param since when the claim began, by our monotonic clock
 */
record VersionedClaim(ClaimRecord record, long version, long since) {

  /**
   * @return a new claim, whose first write has succeeded
   */
  static VersionedClaim first(ClaimRecord record, long version, long now) {
    return new VersionedClaim(record.granted(Tokens.ofRevision(version)), version, now);
  }

  /**
   * @return the claim of an entry that was read
   */
  static VersionedClaim of(String lock, String place, Register.Entry entry, long now) {
    ClaimRecord record = ClaimRecord.parse(lock, place, entry.value());
    if (record.token() == 0) {
      record = record.granted(Tokens.ofRevision(entry.version()));
    }
    ClaimInfo info = record.info(entry.remaining());
    return new VersionedClaim(record, entry.version(), now - info.age().toNanos());
  }

  boolean isOf(Claim claim) {
    return record.id().equals(claim.id());
  }

  /**
   * @return true if this is the claim and it has not left
   */
  boolean isHeldBy(Claim claim) {
    return isOf(claim) && !record.left();
  }

  /**
   * @return true if this token was handed out with the claim, or is {@link LockStore#ANY_TOKEN}
   */
  boolean hasToken(long token) {
    return token == LockStore.ANY_TOKEN
        || (token >= record.token() && token <= record.token() + record.given());
  }

  Duration age(long now) {
    return Duration.ofNanos(Math.max(0, now - since));
  }
}
