package dev.holdfast.engine.state;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Which locks this client keeps coming back to, remembered after nothing else is left of them. A
 * fixed table: names that meet in one place of it forget each other, which costs a round trip and
 * nothing else. Thread-safe.
 */
final class Returns {

  /** How often in a row a client must have come back before it keeps a claim. */
  static final int OFTEN = 3;

  /** For how long a claim is not kept after another client has wanted the lock. */
  static final long REST_NANOS = 1_000_000_000;

  private static final int PLACES = 1 << 10;
  private static final int RESTS = 15; // in place of a count

  // A place: 20 bits of the name's hash, 4 of the count, 40 of the time in milliseconds.
  private final AtomicLongArray places = new AtomicLongArray(PLACES);

  /** A claim of this lock leaves the store. */
  void left(String name, Moment now) {
    long place = places.get(index(name));
    int count = isOf(place, name) ? count(place) : 0;
    if (count != RESTS || isRested(place, now)) {
      set(name, count == RESTS ? 0 : count, now);
    }
  }

  /** Another client wants the lock that this one kept. */
  void wanted(String name, Moment now) {
    set(name, RESTS, now);
  }

  /**
   * This client asks the store for the lock.
   *
   * @return whether it has come back to it often enough, each time within that time
   */
  boolean cameBack(String name, long within, Moment now) {
    long place = places.get(index(name));
    int count = isOf(place, name) ? count(place) : 0;
    if (count == RESTS) {
      return false;
    }
    boolean soon = place != 0 && isOf(place, name) && age(place, now) <= within / 1_000_000;
    int next = soon ? Math.min(count + 1, OFTEN) : 0;
    set(name, next, now);
    return next == OFTEN;
  }

  private static boolean isRested(long place, Moment now) {
    return age(place, now) > REST_NANOS / 1_000_000;
  }

  private void set(String name, int count, Moment now) {
    places.set(index(name), tag(name) << 44 | (long) count << 40 | millis(now));
  }

  private static boolean isOf(long place, String name) {
    return place >>> 44 == tag(name);
  }

  private static int count(long place) {
    return (int) (place >>> 40) & 15;
  }

  private static long age(long place, Moment now) {
    return (millis(now) - place) & ((1L << 40) - 1);
  }

  private static long millis(Moment now) {
    return (now.nanos / 1_000_000) & ((1L << 40) - 1);
  }

  private static int index(String name) {
    return (int) (mixed(name) >>> 54);
  }

  private static long tag(String name) {
    return mixed(name) >>> 34 & 0xFFFFF;
  }

  /** Names that differ in their last characters only have hash codes that are close together. */
  private static long mixed(String name) {
    return name.hashCode() * 0x9E3779B97F4A7C15L;
  }
}
