package dev.holdfast.register;

import dev.holdfast.ClaimInfo;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Register;
import dev.holdfast.spi.Tokens;
import java.time.Duration;

/**
 * A claim as it was last seen: with the version, the next change of it takes one round trip.
 *
 * @param record with its token filled in
 * @param version that of the write it was seen in
 * @param since when the claim began, by our monotonic clock
 */
record Grip(LockRecord record, long version, long since) {

  /** From a first write that was let in. */
  static Grip first(LockRecord record, long version, long now) {
    return new Grip(record.granted(Tokens.ofRevision(version)), version, now);
  }

  /** From what was read. */
  static Grip of(String lock, String place, Register.Entry entry, long now) {
    LockRecord record = LockRecord.parse(lock, place, entry.value());
    if (record.token() == 0) {
      record = record.granted(Tokens.ofRevision(entry.version()));
    }
    ClaimInfo info = record.info(entry.remaining());
    return new Grip(record, entry.version(), now - info.age().toNanos());
  }

  boolean isOf(Claim claim) {
    return record.id().equals(claim.id());
  }

  /** Whether the claim is there and has not left. */
  boolean holds(Claim claim) {
    return isOf(claim) && !record.left();
  }

  /**
   * @return whether this token was handed out with the claim; any token where it is {@link
   *     LockStore#ANY_TOKEN}
   */
  boolean isNamedBy(long token) {
    return token == LockStore.ANY_TOKEN
        || (token >= record.token() && token <= record.token() + record.given());
  }

  Duration held(long now) {
    return Duration.ofNanos(Math.max(0, now - since));
  }
}
