package dev.holdfast.spi.support;

import dev.holdfast.Owner;
import dev.holdfast.spi.Claim;
import org.jspecify.annotations.Nullable;

/**
 * A claim as a {@link ClaimQueue} records it; a store extends it with what else it stores. Times
 * are in the unit of the queue's {@link QueueClock}. Not thread-safe.
 */
public class ClaimRecord {

  /** How a record takes part in its queue. */
  public enum State {
    /** Holds or waits. */
    LIVE,
    /** Has left, but keeps its place until it expires. */
    LINGERING,
    /** Has no place; refuses a late join of its id until it expires. */
    TOMBSTONE
  }

  private final String id;

  // Mutable state
  private Owner owner;
  private int weight;
  private @Nullable String value;
  private State state = State.LIVE;
  private long token;
  private long floor;
  private boolean keepable;
  private long since;
  private long ttl;
  private long expires;
  private boolean changed;

  /** A claim that joins. */
  public ClaimRecord(Claim claim) {
    this(claim.id(), claim.owner(), claim.weight(), claim.value());
    floor = claim.floor();
    keepable = claim.keepable();
  }

  /** A claim that was read from the store; the two {@code restore} methods add the rest. */
  protected ClaimRecord(String id, Owner owner, int weight, @Nullable String value) {
    this.id = id;
    this.owner = owner;
    this.weight = weight;
    this.value = value;
  }

  /**
   * Sets what was read.
   *
   * @param token 0 if it waits
   */
  protected final void restore(State state, long token, long floor) {
    this.state = state;
    this.token = token;
    this.floor = floor;
  }

  /** Sets what was read of {@link Claim#keepable}. */
  protected final void restoreKeepable(boolean value) {
    keepable = value;
  }

  /**
   * Sets the times that were read.
   *
   * @param since when it was granted, or joined if it waits
   */
  protected final void restoreTimes(long since, long ttl, long expires) {
    this.since = since;
    this.ttl = ttl;
    this.expires = expires;
  }

  /** Takes over what a repeated join or a refresh may change. */
  protected void update(Claim claim) {
    // A weight may only be lowered: raising it could break into what others hold.
    weight = Math.min(weight, claim.weight());
    owner = claim.owner();
    value = claim.value();
    floor = claim.floor();
    keepable = claim.keepable();
    changed = true;
  }

  /** Starts the ttl. */
  void arm(long now, long newTtl) {
    ttl = newTtl;
    expires = now + newTtl;
    changed = true;
  }

  void join(long now) {
    since = now;
  }

  void grant(long newToken, long now) {
    token = newToken;
    since = now;
    changed = true;
  }

  void linger() {
    state = State.LINGERING;
    keepable = false;
    changed = true;
  }

  /** Its client knows that the lock is wanted. */
  void notified() {
    keepable = false;
  }

  void makeTombstone(long now) {
    state = State.TOMBSTONE;
    since = now;
    weight = 0;
    value = null;
    floor = 0;
    keepable = false;
    changed = true;
  }

  public final String id() {
    return id;
  }

  public final Owner owner() {
    return owner;
  }

  public final int weight() {
    return weight;
  }

  public final @Nullable String value() {
    return value;
  }

  public final State state() {
    return state;
  }

  /**
   * @return its token, 0 while it waits
   */
  public final long token() {
    return token;
  }

  /**
   * @return what its token must exceed, see {@link Claim#floor}
   */
  public final long floor() {
    return floor;
  }

  /**
   * @return whether its client may keep it idle, see {@link Claim#keepable}
   */
  public final boolean isKeepable() {
    return keepable;
  }

  /**
   * @return when it was granted, or joined while it waits
   */
  public final long since() {
    return since;
  }

  public final long ttl() {
    return ttl;
  }

  public final long expires() {
    return expires;
  }

  /**
   * @return true if it differs from what was read
   */
  public final boolean isChanged() {
    return changed;
  }

  public final boolean isGranted() {
    return token != 0;
  }

  public final boolean isLive() {
    return state == State.LIVE;
  }
}
