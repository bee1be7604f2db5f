package dev.holdfast.engine;

import dev.holdfast.spi.Ticker;

/**
 * A moment on both clocks. The wall clock is read when it is first asked for: most decisions need
 * only the monotonic one, and a later reading can only make a lease look older. Not thread-safe
 * until {@link #settle} has been called.
 */
final class Moment {

  private static final long UNREAD = Long.MIN_VALUE;

  private final Ticker ticker;
  private final long nanos;

  // Mutable state
  private long wallMicros = UNREAD;

  private Moment(Ticker ticker) {
    this.ticker = ticker;
    this.nanos = ticker.nanoTime();
  }

  static Moment now(Ticker ticker) {
    return new Moment(ticker);
  }

  /** Now, on both clocks: for the moment a request is sent, which must not be dated too late. */
  static Moment exact(Ticker ticker) {
    return new Moment(ticker).settle();
  }

  /** Reads both clocks, if that has not been done. */
  Moment settle() {
    if (wallMicros == UNREAD) {
      wallMicros = ticker.wallMicros();
    }
    return this;
  }

  long nanos() {
    return nanos;
  }

  long wallMicros() {
    settle();
    return wallMicros;
  }
}
