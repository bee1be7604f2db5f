package dev.holdfast.engine;

import dev.holdfast.LockOptions;
import dev.holdfast.spi.Ticker;

/**
 * How long a confirmation counts. Immutable.
 *
 * <p>It counts from before the request was sent, because the store's ttl starts no earlier, and
 * ends a margin before the store could let the next one in. The monotonic clock stops while a
 * machine sleeps; so wall time that ran ahead of it by more than the margin ends it too. Wall time
 * never prolongs it.
 *
 * @param sent before the confirmed request was sent
 * @param validNanos how long it counts
 * @param marginNanos how far wall time may run ahead
 */
record Validity(Moment sent, long validNanos, long marginNanos) {

  static Validity from(Moment sent, LockOptions options) {
    long valid = options.validFor().toNanos();
    return new Validity(sent, valid, options.ttl().toNanos() - valid);
  }

  long deadline() {
    return sent.nanos() + validNanos;
  }

  /** Nanoseconds left; zero or less when it is over. */
  long remaining(Moment now) {
    long elapsed = now.nanos() - sent.nanos();
    long slept = (now.wallMicros() - sent.wallMicros()) * 1_000 - elapsed;
    return slept > marginNanos ? 0 : validNanos - elapsed;
  }

  /** A moment on both clocks. */
  record Moment(long nanos, long wallMicros) {
    static Moment now(Ticker ticker) {
      return new Moment(ticker.nanoTime(), ticker.wallMicros());
    }
  }
}
