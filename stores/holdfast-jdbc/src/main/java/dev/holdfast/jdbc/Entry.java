package dev.holdfast.jdbc;

import dev.holdfast.Owner;
import dev.holdfast.spi.Claim;
import org.jspecify.annotations.Nullable;

/**
 * A claim with what the tables say of it. Times are microseconds of the database's clock. Not
 * thread-safe: it lives for one transaction.
 */
final class Entry {

  /** What an entry still is. */
  enum State {
    /** Holds or waits. */
    LIVE,
    /** Has left, but keeps its place until it expires. */
    LINGERING,
    /** Takes no place; keeps a late join of this id out until it expires. */
    TOMBSTONE
  }

  /** Where an entry was read from. */
  enum Place {
    /** Not stored yet. */
    NOWHERE,
    /** In the lock row. */
    LOCK_ROW,
    /** In a row of its own, at {@link #seq}. */
    CLAIM_ROW
  }

  final String id;

  // Mutable state
  Place place = Place.NOWHERE;
  long seq;
  State state = State.LIVE;
  int weight;
  long token; // 0 while it waits
  long since; // when it was let in, or began to wait
  long ttl;
  long expires;
  long floor;
  String owner;
  @Nullable String value;
  @Nullable String channel; // where its client wants to be told that it was let in
  boolean changed;

  Entry(String id, long since, int weight, String owner, @Nullable String value) {
    this.id = id;
    this.since = since;
    this.weight = weight;
    this.owner = owner;
    this.value = value;
  }

  boolean isGranted() {
    return token != 0;
  }

  boolean isLive() {
    return state == State.LIVE;
  }

  /** Lets it end {@code newTtl} from now. */
  void arm(long now, long newTtl) {
    ttl = newTtl;
    expires = now + newTtl;
    changed = true;
  }

  /** Takes over what a claim may change about itself. */
  void update(Claim claim, String encodedOwner) {
    // A weight may only be lowered: raising it could break into what others hold.
    weight = Math.min(weight, claim.weight());
    owner = encodedOwner;
    value = claim.value();
    floor = claim.floor();
    changed = true;
  }

  /** Whether {@link #readOwner} can read it; cheap, because every queue that is read is checked. */
  boolean hasOwner() {
    int separators = 0;
    for (int i = 0; i < owner.length(); i++) {
      separators += owner.charAt(i) == ';' ? 1 : 0;
    }
    if (separators != 4) {
      return false;
    }
    try {
      readOwner();
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  Owner readOwner() {
    return Owner.parse(owner);
  }
}
