package dev.holdfast.jdbc.queue;

import dev.holdfast.Owner;
import dev.holdfast.jdbc.sql.OwnerCodec;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.support.ClaimRecord;
import org.jspecify.annotations.Nullable;

/**
 * A claim as the tables store it. Times are microseconds of the database's clock. Not thread-safe:
 * it lives for one transaction.
 */
public final class ClaimRow extends ClaimRecord {

  /** Where a claim was read from. */
  enum StoredIn {
    /** Not stored yet. */
    NOTHING,
    LOCK_ROW,
    /** A row with its own {@link #seq}. */
    CLAIM_ROW
  }

  private final OwnerCodec owners;

  // Mutable state
  StoredIn storedIn = StoredIn.NOTHING;
  long seq;
  @Nullable String channel; // where its client listens for the grant

  /** A claim that joins. */
  ClaimRow(Claim claim, OwnerCodec owners) {
    super(claim);
    this.owners = owners;
    channel = owners.channel();
  }

  /** A claim that was read. */
  ClaimRow(
      String id,
      Owner owner,
      int weight,
      @Nullable String value,
      OwnerCodec owners,
      StoredIn storedIn) {
    super(id, owner, weight, value);
    this.owners = owners;
    this.storedIn = storedIn;
  }

  void restored(State state, long token, long floor) {
    restore(state, token, floor);
  }

  void restoredTimes(long since, long ttl, long expires) {
    restoreTimes(since, ttl, expires);
  }

  @Override
  protected void update(Claim claim) {
    super.update(claim);
    channel = owners.channel();
  }

  /** Returns the owner as its column stores it. */
  String encodedOwner() {
    return owners.encode(owner());
  }
}
