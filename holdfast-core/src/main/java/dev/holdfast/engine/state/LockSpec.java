package dev.holdfast.engine.state;

import dev.holdfast.Kind;
import dev.holdfast.LockOptions;
import dev.holdfast.Mode;
import dev.holdfast.PrintableText;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Mismatch;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a request wants of a lock, with the times worked out once. Immutable. */
public final class LockSpec {

  public final Kind kind;
  public final int weight;
  public final int capacity;
  public final LockOptions options;
  public final @Nullable String value;
  public final Mode mode;
  public final boolean reentrant;
  public final long validNanos;
  public final long marginNanos;
  public final long renewNanos;
  public final long minHoldNanos;

  /** How long a claim may be kept idle; zero for not at all. */
  public final long keepNanos;

  /** How long threads may hand a claim off before the store is asked again. */
  public final long sliceNanos;

  /** True if that ends when another client waits. */
  public final boolean yields;

  /** Without limit: {@link Long#MAX_VALUE}. */
  public final long maxHoldNanos;

  public LockSpec(Kind kind, int weight, int capacity, LockOptions options) {
    this(kind, weight, capacity, options, null);
  }

  private LockSpec(
      Kind kind, int weight, int capacity, LockOptions options, @Nullable String value) {
    this.kind = kind;
    this.weight = weight;
    this.capacity = capacity;
    this.options = options;
    this.value = value;
    this.mode = kind.mode(weight);
    // A semaphore's permits add up, and a candidate runs against itself; the others count.
    this.reentrant = options.reentrant() && kind != Kind.SEMAPHORE && kind != Kind.ELECTION;
    this.validNanos = options.validFor().toNanos();
    this.marginNanos = options.ttl().toNanos() - validNanos;
    this.renewNanos = options.renewEvery().toNanos();
    this.minHoldNanos = options.minHold().toNanos();
    Duration maxHold = options.maxHold();
    this.maxHoldNanos = maxHold == null ? Long.MAX_VALUE : maxHold.toNanos();
    boolean keeps =
        mode == Mode.EXCLUSIVE
            && kind != Kind.ELECTION
            && options.handOff()
            && minHoldNanos == 0
            && maxHold == null;
    this.keepNanos = keeps ? options.keepIdle().toNanos() : 0;
    Duration slice = options.slice();
    this.sliceNanos = slice == null ? Slice.NANOS : slice.toNanos();
    this.yields = slice == null;
  }

  public static LockSpec mutex(LockOptions options) {
    return new LockSpec(Kind.MUTEX, 1, 1, options);
  }

  public static LockSpec reading(LockOptions options) {
    return new LockSpec(Kind.READ_WRITE, 1, Kind.UNBOUNDED, options);
  }

  public static LockSpec writing(LockOptions options) {
    return new LockSpec(Kind.READ_WRITE, Kind.UNBOUNDED, Kind.UNBOUNDED, options);
  }

  public static LockSpec permits(int weight, int capacity, LockOptions options) {
    return new LockSpec(Kind.SEMAPHORE, weight, capacity, options);
  }

  public static LockSpec election(String name, String value, LockOptions options) {
    Claim.checkValue(name, value);
    return new LockSpec(Kind.ELECTION, 1, 1, options, value);
  }

  /** What is left of a writer that only reads from now on. */
  public LockSpec downgraded() {
    return reading(options);
  }

  public boolean isReading() {
    return mode == Mode.SHARED;
  }

  /** {@return whether one lock can be used as both at the same time} */
  public boolean agreesWith(LockSpec other) {
    return kind == other.kind && capacity == other.capacity;
  }

  /** {@return whether a claim made for this can serve a request for that} */
  public boolean serves(LockSpec other) {
    return this == other
        || (kind == other.kind
            && weight == other.weight
            && capacity == other.capacity
            && validNanos == other.validNanos
            && renewNanos == other.renewNanos
            && options.ttl().equals(other.options.ttl())
            && options.label().equals(other.options.label())
            && Objects.equals(value, other.value));
  }

  /** {@return whether the store never grants both at the same time} */
  public boolean excludes(LockSpec other) {
    return kind != Kind.SEMAPHORE && (mode == Mode.EXCLUSIVE || other.mode == Mode.EXCLUSIVE);
  }

  /** {@return whether threads may pass a claim on: both sides must want it} */
  public boolean passesTo(LockSpec other) {
    return options.handOff() && other.options.handOff() && serves(other);
  }

  /** What is wrong with asking this of a lock that this client uses as something else. */
  public IllegalStateException mismatch(String name, LockSpec actual) {
    return mismatch(name, new Mismatch(actual.kind, actual.capacity));
  }

  /** What is wrong with asking this of a lock that is in use as something else. */
  public IllegalStateException mismatch(String name, Mismatch actual) {
    return new IllegalStateException(
        String.format(
            "%s is in use as %s of capacity %d; it cannot be %s of capacity %d at the same time",
            PrintableText.quote(name), actual.kind(), actual.capacity(), kind, capacity));
  }
}
