package dev.holdfast.engine;

import dev.holdfast.Kind;
import dev.holdfast.LockOptions;
import dev.holdfast.Mode;
import dev.holdfast.spi.Mismatch;

/**
 * What a request wants of a lock.
 *
 * @param kind what the lock is used as
 * @param weight how much of the capacity
 * @param capacity of the lock
 * @param options how it is to be held
 */
record LockSpec(Kind kind, int weight, int capacity, LockOptions options) {

  static LockSpec mutex(LockOptions options) {
    return new LockSpec(Kind.MUTEX, 1, 1, options);
  }

  /** Whether a claim made for this can serve a request for that. */
  boolean serves(LockSpec other) {
    return kind == other.kind
        && weight == other.weight
        && capacity == other.capacity
        && options.ttl().equals(other.options.ttl())
        && options.label().equals(other.options.label());
  }

  /** Whether threads may pass a claim on: both sides must want it. */
  boolean passesTo(LockSpec other) {
    return options.handOff() && other.options.handOff() && serves(other);
  }

  /** What is wrong with asking this of a lock that is in use as something else. */
  IllegalStateException mismatch(String name, Mismatch actual) {
    return new IllegalStateException(
        String.format(
            "'%s' is in use as %s of capacity %d; it cannot be %s of capacity %d at the same time",
            name, actual.kind(), actual.capacity(), kind, capacity));
  }

  Mode mode() {
    return kind.mode(weight);
  }

  /** A semaphore's permits add up; the others count. */
  boolean reentrant() {
    return options.reentrant() && kind != Kind.SEMAPHORE;
  }
}
