package dev.holdfast.engine.state;

import dev.holdfast.spi.Ticker;

/**
 * A moment on both clocks. The wall clock is read when it is first asked for: most decisions need
 * only the monotonic one, and a later reading can only make a lease look older. Not thread-safe
 * until {@link #settle} has been called.
 */
public final class Moment {

  private static final long UNREAD = Long.MIN_VALUE;

  /** By the monotonic clock. */
  public final long nanos;

  private final Ticker ticker;

  // Mutable state
  private long wallMicros = UNREAD;

  private Moment(Ticker ticker) {
    this.ticker = ticker;
    this.nanos = ticker.nanoTime();
  }

  /** Now; the wall clock is read when it is needed. */
  public static Moment now(Ticker ticker) {
    return new Moment(ticker);
  }

  /** Now, on both clocks: for the moment a request is sent, which must not be dated too late. */
  public static Moment exact(Ticker ticker) {
    return new Moment(ticker).settle();
  }

  /** Reads both clocks, if that has not been done. */
  public Moment settle() {
    if (wallMicros == UNREAD) {
      wallMicros = ticker.wallMicros();
    }
    return this;
  }

  /** By the wall clock. */
  public long wallMicros() {
    settle();
    return wallMicros;
  }
}
