package dev.holdfast.engine.state;

/**
 * How long a confirmation counts. It counts from before the request was sent, because the store's
 * ttl starts no earlier, and ends a margin before the store could grant the next claim. The
 * monotonic clock stops while a machine sleeps; so wall time that ran ahead of it by more than the
 * margin ends it too. Wall time never prolongs it. Immutable.
 */
final class Validity {

  final Moment sent; // before the confirmed request was sent
  final long validNanos;
  private final long marginNanos; // how far wall time may run ahead
  final boolean over; // seen to be over: it stays so, also if a clock is set back

  Validity(Moment sent, long validNanos, long marginNanos, boolean over) {
    this.sent = sent;
    this.validNanos = validNanos;
    this.marginNanos = marginNanos;
    this.over = over;
  }

  /** Nanoseconds left; zero or less when it is over. */
  long remaining(Moment now) {
    if (over) {
      return 0;
    }
    long elapsed = now.nanos - sent.nanos;
    long slept = (now.wallMicros - sent.wallMicros) * 1_000 - elapsed;
    return slept > marginNanos ? 0 : validNanos - elapsed;
  }

  /** The same, ended for good. */
  Validity ended() {
    return new Validity(sent, validNanos, marginNanos, true);
  }
}
