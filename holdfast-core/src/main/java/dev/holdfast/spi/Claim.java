package dev.holdfast.spi;

import static dev.holdfast.PrintableText.escape;
import static dev.holdfast.PrintableText.quote;

import dev.holdfast.ClaimInfo;
import dev.holdfast.Kind;
import dev.holdfast.LockName;
import dev.holdfast.Mode;
import dev.holdfast.Owner;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One entry in a lock's queue. Two claims are equal when their ids are.
 *
 * @param id unique to the attempt and secret to the claimant: who knows it can release the lock
 * @param lock the lock's name, already checked by {@link LockName}
 * @param kind what the lock is used as
 * @param weight how much of the capacity it takes; refresh may lower it
 * @param capacity what all granted weights may add up to
 * @param owner who claims
 * @param ttl how long it lives once granted, without renewal, by the store's clock
 * @param value published with it, at most {@value #MAX_VALUE_BYTES} bytes of UTF-8, no NUL
 * @param spares how many tokens beyond its own to reserve in this very call
 * @param floor new tokens of the lock must be greater: what this client has seen on this store, or
 *     was shown by a fence; see {@link Tokens#noted}
 * @param keepable its client may keep it idle for a while after a release, and pass it on among its
 *     threads, until the store says that another claim wants the lock: by {@link Granted#wanted},
 *     which ends this property at the store, and where {@link dev.holdfast.Traits#tellsHolders}
 *     also by a hint. Refresh may change it
 */
public record Claim(
    String id,
    String lock,
    Kind kind,
    int weight,
    int capacity,
    Owner owner,
    Duration ttl,
    @Nullable String value,
    int spares,
    long floor,
    boolean keepable) {

  /** The most a value may take. */
  public static final int MAX_VALUE_BYTES = ClaimInfo.MAX_VALUE_BYTES;

  /** The longest a waiter lives without renewal: a dead one must not block the queue for long. */
  public static final Duration MAX_WAITING_TTL = Duration.ofSeconds(10);

  /** Refuses weights, capacities and values that the model does not have. */
  public Claim {
    kind.check(weight, capacity);
    checkValue(lock, value);
    if (floor < 0 || floor > Tokens.MAX_FLOOR) {
      throw new IllegalArgumentException(
          "floor (" + floor + ") must be between 0 and " + Tokens.MAX_FLOOR);
    }
  }

  /** A claim that is not keepable. */
  public Claim(
      String id,
      String lock,
      Kind kind,
      int weight,
      int capacity,
      Owner owner,
      Duration ttl,
      @Nullable String value,
      int spares,
      long floor) {
    this(id, lock, kind, weight, capacity, owner, ttl, value, spares, floor, false);
  }

  /**
   * Refuses a value that cannot be published.
   *
   * @throws IllegalArgumentException saying what is wrong with it
   */
  public static void checkValue(String lock, @Nullable String value) {
    if (value != null && value.getBytes(StandardCharsets.UTF_8).length > MAX_VALUE_BYTES) {
      throw new IllegalArgumentException(
          "value of " + quote(lock) + " is longer than " + MAX_VALUE_BYTES + " bytes");
    }
    if (value != null && value.indexOf('\0') >= 0) { // some databases cannot keep it in a text
      throw new IllegalArgumentException(
          "value of " + quote(lock) + " has a NUL character at index " + value.indexOf('\0'));
    }
  }

  /** How long it lives without renewal while it waits. */
  public Duration waitingTtl() {
    return ttl.compareTo(MAX_WAITING_TTL) < 0 ? ttl : MAX_WAITING_TTL;
  }

  /** How it excludes others. */
  public Mode mode() {
    return kind.mode(weight);
  }

  /** The same claim with this number of spare tokens, all of them above the floor. */
  public Claim asking(int spareTokens, long tokenFloor) {
    return spareTokens == spares && tokenFloor == floor
        ? this
        : new Claim(
            id, lock, kind, weight, capacity, owner, ttl, value, spareTokens, tokenFloor, keepable);
  }

  /** The same claim, which its client may keep idle, or may not. */
  public Claim keepable(boolean value) {
    return value == keepable
        ? this
        : new Claim(id, lock, kind, weight, capacity, owner, ttl, this.value, spares, floor, value);
  }

  /** The same claim with another ttl. */
  public Claim lasting(Duration newTtl) {
    return newTtl.equals(ttl)
        ? this
        : new Claim(
            id, lock, kind, weight, capacity, owner, newTtl, value, spares, floor, keepable);
  }

  /** The same claim with another weight. */
  public Claim weighing(int newWeight) {
    return new Claim(
        id, lock, kind, newWeight, capacity, owner, ttl, value, spares, floor, keepable);
  }

  /** The same claim with another value. */
  public Claim publishing(@Nullable String newValue) {
    return new Claim(
        id, lock, kind, weight, capacity, owner, ttl, newValue, spares, floor, keepable);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Claim claim && id.equals(claim.id);
  }

  @Override
  public int hashCode() {
    return id.hashCode();
  }

  /** Without the id, which is a secret. */
  @Override
  public String toString() {
    return "Claim["
        + escape(lock)
        + ", "
        + kind
        + " "
        + weight
        + "/"
        + capacity
        + ", "
        + owner.describe()
        + "]";
  }
}
