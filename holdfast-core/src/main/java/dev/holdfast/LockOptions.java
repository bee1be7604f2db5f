package dev.holdfast;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a lock is held. Immutable and thread-safe: each method returns changed options.
 *
 * <p>The relations between the durations are checked when a lock is made from them:
 *
 * <pre>renewEvery ≤ validFor / 2,   validFor &lt; ttl,   ttl ≤ maxHold,   minHold ≤ maxHold</pre>
 */
public final class LockOptions {

  /** Ten years; what is longer is a mistake, and would not fit a count of nanoseconds for ever. */
  private static final Duration LONGEST = Duration.ofDays(3650);

  /** The longest slice: a claim that is passed on for longer starves all other clients. */
  private static final Duration LONGEST_SLICE = Duration.ofSeconds(10);

  /** The longest a claim may be kept idle: a crash in that time costs others a whole ttl. */
  private static final Duration LONGEST_IDLE = Duration.ofSeconds(10);

  /** How a client uses a claim for more than one hold. A slice of null ends when others wait. */
  private record Reuse(boolean handOff, @Nullable Duration slice, Duration keepIdle) {}

  private static final LockOptions DEFAULTS =
      new LockOptions(
          Duration.ofSeconds(30),
          null,
          null,
          null,
          Duration.ZERO,
          "",
          true,
          new Reuse(true, null, Duration.ofMillis(100)),
          Consistency.BEST_EFFORT);

  private final Duration ttl;
  private final @Nullable Duration renewEvery;
  private final @Nullable Duration validFor;
  private final @Nullable Duration maxHold;
  private final Duration minHold;
  private final String label;
  private final boolean reentrant;
  private final Reuse reuse;
  private final Consistency required;
  private final Duration effectiveRenewEvery;
  private final Duration effectiveValidFor;

  private LockOptions(
      Duration ttl,
      @Nullable Duration renewEvery,
      @Nullable Duration validFor,
      @Nullable Duration maxHold,
      Duration minHold,
      String label,
      boolean reentrant,
      Reuse reuse,
      Consistency required) {
    this.ttl = ttl;
    this.renewEvery = renewEvery;
    this.validFor = validFor;
    this.maxHold = maxHold;
    this.minHold = minHold;
    this.label = label;
    this.reentrant = reentrant;
    this.reuse = reuse;
    this.required = required;
    this.effectiveRenewEvery = renewEvery != null ? renewEvery : ttl.dividedBy(3);
    this.effectiveValidFor = validFor != null ? validFor : ttl.multipliedBy(3).dividedBy(4);
  }

  /** ttl 30 s, renewed every third of it, valid for three quarters of it; reentrant. */
  public static LockOptions defaults() {
    return DEFAULTS;
  }

  /** How long the claim lives in the store without renewal. Default 30 s. */
  public LockOptions ttl(Duration value) {
    positive("ttl", value);
    return new LockOptions(
        value, renewEvery, validFor, maxHold, minHold, label, reentrant, reuse, required);
  }

  /** How often the claim is renewed while held. Default: a third of the ttl. */
  public LockOptions renewEvery(Duration value) {
    positive("renewEvery", value);
    return new LockOptions(
        ttl, value, validFor, maxHold, minHold, label, reentrant, reuse, required);
  }

  /**
   * How long after the last confirmed renewal, counted from before it was sent, the lease calls
   * itself valid. Default: three quarters of the ttl. The rest of the ttl is the margin for clocks
   * that run at different rates.
   */
  public LockOptions validFor(Duration value) {
    positive("validFor", value);
    return new LockOptions(
        ttl, renewEvery, value, maxHold, minHold, label, reentrant, reuse, required);
  }

  /**
   * How long a lease may last at most, renewed or not. The loss is signalled a margin earlier (ttl
   * − validFor), and the lock is given up at maxHold. Default: no limit.
   */
  public LockOptions maxHold(Duration value) {
    positive("maxHold", value);
    return new LockOptions(
        ttl, renewEvery, validFor, value, minHold, label, reentrant, reuse, required);
  }

  /**
   * How long the lock stays taken at least, even if its holder releases it earlier and exits. For
   * jobs that must not run twice in a short time although clocks differ. A holder that crashes is
   * replaced after the ttl all the same. Default: zero.
   */
  public LockOptions minHold(Duration value) {
    inRange("minHold", value);
    return new LockOptions(
        ttl, renewEvery, validFor, maxHold, value, label, reentrant, reuse, required);
  }

  /**
   * A name for the holder that people see in messages and listings; at most {@value
   * PrintableText#LONGEST_LABEL} characters, all of them visible.
   *
   * @throws IllegalArgumentException if it is longer, or has control characters, line breaks, or
   *     marks that hide text or change its direction
   */
  public LockOptions label(String value) {
    PrintableText.checkLabel("label", value);
    return new LockOptions(
        ttl, renewEvery, validFor, maxHold, minHold, value, reentrant, reuse, required);
  }

  /**
   * Sets if a thread that holds the lock may acquire it again. Default: true. If false, a second
   * acquisition by the same thread waits like any other.
   */
  public LockOptions reentrant(boolean value) {
    return new LockOptions(
        ttl, renewEvery, validFor, maxHold, minHold, label, value, reuse, required);
  }

  /**
   * Sets if threads of one client may hand the lock off among themselves, each with a new token,
   * without asking the store each time, while no other client waits. Default: true. If false, a
   * client does not keep released claims either.
   */
  public LockOptions handOff(boolean value) {
    return reuse(new Reuse(value, null, reuse.keepIdle));
  }

  /**
   * Hands the lock off among the threads of one client for this long before other clients have
   * their turn, although they wait: more throughput for a client with many threads, and longer
   * waits for all others. By default the lock goes to another client as soon as one waits.
   */
  public LockOptions handOff(Duration slice) {
    positive("slice", slice);
    notLonger("slice", slice, LONGEST_SLICE);
    return reuse(new Reuse(true, slice, reuse.keepIdle));
  }

  /**
   * For how long a client may keep a claim that it has released, to take it again without asking
   * the store. It does so for locks that it keeps coming back to, gives the claim back as soon as
   * another client wants the lock, and only where the store can tell it that ({@link
   * Traits#tellsHolders}). Not with {@link #minHold} or {@link #maxHold}. Default: 100 ms; zero
   * turns it off.
   */
  public LockOptions keepIdle(Duration value) {
    inRange("keepIdle", value);
    notLonger("keepIdle", value, LONGEST_IDLE);
    return reuse(new Reuse(reuse.handOff, reuse.slice, value));
  }

  private LockOptions reuse(Reuse value) {
    return new LockOptions(
        ttl, renewEvery, validFor, maxHold, minHold, label, reentrant, value, required);
  }

  /** The consistency without which the lock must not be used. Default: best effort. */
  public LockOptions require(Consistency value) {
    return new LockOptions(
        ttl, renewEvery, validFor, maxHold, minHold, label, reentrant, reuse, value);
  }

  /** How long the claim lives in the store without renewal. */
  public Duration ttl() {
    return ttl;
  }

  /** How often the claim is renewed. */
  public Duration renewEvery() {
    return effectiveRenewEvery;
  }

  /** How long a confirmation counts. */
  public Duration validFor() {
    return effectiveValidFor;
  }

  /** The longest hold, or null without limit. */
  public @Nullable Duration maxHold() {
    return maxHold;
  }

  /** The shortest hold. */
  public Duration minHold() {
    return minHold;
  }

  /** The holder's label, or empty. */
  public String label() {
    return label;
  }

  /** {@return whether the holding thread may acquire again} */
  public boolean reentrant() {
    return reentrant;
  }

  /** {@return whether threads of one client may pass the lock on} */
  public boolean handOff() {
    return reuse.handOff;
  }

  /** How long threads of one client pass the lock on while others wait; null for not at all. */
  public @Nullable Duration slice() {
    return reuse.slice;
  }

  /** For how long a released claim may be kept. */
  public Duration keepIdle() {
    return reuse.keepIdle;
  }

  /** The consistency asked for. */
  public Consistency required() {
    return required;
  }

  /**
   * Refuses durations that cannot be safe together.
   *
   * @throws IllegalArgumentException with the values
   */
  public void check() {
    // The holder must stop before the store grants the next claim; the gap absorbs clock drift.
    if (validFor().compareTo(ttl) >= 0) {
      throw new IllegalArgumentException(
          "validFor (" + validFor() + ") must be shorter than ttl (" + ttl + ")");
    }
    // One renewal may fail and be repeated before the lease runs out.
    if (renewEvery().multipliedBy(2).compareTo(validFor()) > 0) {
      throw new IllegalArgumentException(
          "renewEvery ("
              + renewEvery()
              + ") must be at most half of validFor ("
              + validFor()
              + ")");
    }
    if (maxHold != null && maxHold.compareTo(ttl) < 0) {
      throw new IllegalArgumentException(
          "maxHold (" + maxHold + ") must not be shorter than ttl (" + ttl + ")");
    }
    if (maxHold != null && minHold.compareTo(maxHold) > 0) {
      throw new IllegalArgumentException(
          "minHold (" + minHold + ") must not be longer than maxHold (" + maxHold + ")");
    }
  }

  private static void positive(String what, Duration value) {
    if (value.isZero()) {
      throw new IllegalArgumentException(what + " (" + value + ") must be longer than zero");
    }
    inRange(what, value);
  }

  private static void notLonger(String what, Duration value, Duration longest) {
    if (value.compareTo(longest) > 0) {
      throw new IllegalArgumentException(
          what + " (" + value + ") must not be longer than " + longest);
    }
  }

  private static void inRange(String what, Duration value) {
    if (value.isNegative() || value.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          what
              + " ("
              + value
              + ") must not be negative or longer than "
              + LONGEST.toDays()
              + " days");
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof LockOptions o
            && ttl.equals(o.ttl)
            && Objects.equals(renewEvery, o.renewEvery)
            && Objects.equals(validFor, o.validFor)
            && Objects.equals(maxHold, o.maxHold)
            && minHold.equals(o.minHold)
            && label.equals(o.label)
            && reentrant == o.reentrant
            && reuse.equals(o.reuse)
            && required == o.required);
  }

  @Override
  public int hashCode() {
    return Objects.hash(
        ttl, renewEvery, validFor, maxHold, minHold, label, reentrant, reuse, required);
  }

  @Override
  public String toString() {
    return "LockOptions[ttl="
        + ttl
        + ", renewEvery="
        + renewEvery()
        + ", validFor="
        + validFor()
        + ", maxHold="
        + (maxHold == null ? "none" : maxHold)
        + ", minHold="
        + minHold
        + ", label="
        + label
        + ", reentrant="
        + reentrant
        + ", handOff="
        + (reuse.slice == null ? reuse.handOff : reuse.slice)
        + ", keepIdle="
        + reuse.keepIdle
        + ", require="
        + required
        + "]";
  }
}
