package dev.holdfast.leased;

import dev.holdfast.Kind;
import dev.holdfast.Mode;
import dev.holdfast.Owner;
import dev.holdfast.leased.ClaimRegistry.Place;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Tokens;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A claim as it is stored.
 *
 * @param stored its key: the revision that created it is the claim's place in the queue
 * @param ttl that of its lease, zero if the store does not record it
 * @param since when it joined, by the wall clock of its client; for people
 * @param keepable see {@link Claim#keepable}; counts only while it is granted
 */
public record ClaimRecord(
    StoredKey stored,
    String id,
    State state,
    Kind kind,
    int weight,
    int capacity,
    Duration ttl,
    long since,
    Owner owner,
    boolean keepable,
    @Nullable String value) {

  /** What becomes of a claim that does not fit. */
  public enum State {
    /** It waits in the queue. */
    WAITING,
    /** Its client is about to remove it. */
    TRYING,
    /** Its holder has left; it keeps the lock taken until its lease ends. */
    LEFT
  }

  /** A claim that joins now and is not stored yet. */
  public static ClaimRecord joining(Claim claim, State state, Duration ttl, long wallMicros) {
    return new ClaimRecord(
        new StoredKey("", "", "", 0, 0),
        claim.id(),
        state,
        claim.kind(),
        claim.weight(),
        claim.capacity(),
        ttl,
        wallMicros,
        claim.owner(),
        claim.keepable(),
        claim.value());
  }

  /** With what a renewal may change: a lower weight, another value, and if it is keepable. */
  public ClaimRecord renewedBy(Claim claim) {
    int lower = Math.min(weight, claim.weight()); // raising it could break into what others hold
    return new ClaimRecord(
        stored,
        id,
        state,
        kind,
        lower,
        capacity,
        ttl,
        since,
        claim.owner(),
        claim.keepable(),
        claim.value());
  }

  /** In another state, on a lease of another ttl. */
  public ClaimRecord in(State newState, Duration newTtl) {
    return new ClaimRecord(
        stored, id, newState, kind, weight, capacity, newTtl, since, owner, keepable, value);
  }

  /**
   * @return true if its holder has left
   */
  public boolean hasLeft() {
    return state == State.LEFT;
  }

  /**
   * @return true if it waits and is still on the lease of its whole ttl: its client has only just
   *     written it, and is about to move it to a shorter one
   */
  public boolean isArriving() {
    return state == State.WAITING && ttl.compareTo(Claim.MAX_WAITING_TTL) > 0;
  }

  /**
   * @return true if its client may keep it idle, given that it is granted
   */
  public boolean mayBeIdle() {
    return keepable && !hasLeft();
  }

  /**
   * @return true if both use the lock with the same kind and capacity
   */
  public boolean agreesWith(Kind otherKind, int otherCapacity) {
    return kind == otherKind && capacity == otherCapacity;
  }

  /** Its key, and since when. */
  public Place place() {
    return new Place(stored.key(), stored.created());
  }

  /** Its first token. */
  public long token() {
    return Tokens.ofRevision(stored.created());
  }

  /**
   * @return true if this is its first token or, where it excludes all others, a spare one that its
   *     client may have handed out
   */
  public boolean hasToken(long token) {
    boolean exclusive = kind.mode(weight) == Mode.EXCLUSIVE;
    return token >= token() && token <= token() + (exclusive ? Tokens.SPARES_OF_REVISION : 0);
  }

  /**
   * A key as the store keeps it.
   *
   * @param text its value
   * @param lease the id of the lease that it is on, empty if none
   * @param created the revision that created it
   * @param modified the revision of its last change
   */
  public record StoredKey(String key, String text, String lease, long created, long modified) {}
}
