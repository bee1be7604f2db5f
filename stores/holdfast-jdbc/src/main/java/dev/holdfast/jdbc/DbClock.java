package dev.holdfast.jdbc;

import java.time.Duration;

/**
 * The database's clock as one statement read it, in microseconds since 1970.
 *
 * @param now what it said
 * @param step how coarse it is: the true time is less than a step later
 */
record DbClock(long now, long step) {

  /** How long an entry with this ttl must be kept by this clock so that it never ends early. */
  long lifetime(Duration ttl) {
    return lifetime(ttl, step);
  }

  /**
   * Rounded up to the clock's step, and one step more: the clock may be almost a step behind when
   * the ttl starts.
   */
  static long lifetime(Duration ttl, long step) {
    long stepNanos = step * 1_000;
    long steps = (ttl.toNanos() + stepNanos - 1) / stepNanos;
    return (steps + 1) * step;
  }

  /** How long it surely still takes until then. */
  Duration until(long then) {
    return Duration.ofNanos(Math.max(0, then - now - step) * 1_000);
  }

  /** How long ago that was. */
  Duration since(long then) {
    return Duration.ofNanos(Math.max(0, now - then) * 1_000);
  }
}
