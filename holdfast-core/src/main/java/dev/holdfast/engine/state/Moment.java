package dev.holdfast.engine.state;

import dev.holdfast.spi.Ticker;

/** A moment on both clocks. Immutable. */
public final class Moment {

  /** By the monotonic clock. */
  public final long nanos;

  /** By the wall clock. */
  public final long wallMicros;

  /** Reads both clocks. */
  public Moment(Ticker ticker) {
    this.nanos = ticker.nanoTime();
    this.wallMicros = ticker.wallMicros();
  }
}
