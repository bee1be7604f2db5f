package dev.holdfast.consul;

import dev.holdfast.spi.Ticker;
import java.time.Duration;

/** Until when an operation may take, however many steps it has. */
record Deadline(Ticker ticker, long at) {

  static Deadline in(Ticker ticker, Duration time) {
    return new Deadline(ticker, ticker.nanoTime() + time.toNanos());
  }

  Duration left() {
    return Duration.ofNanos(Math.max(0, at - ticker.nanoTime()));
  }

  boolean isOver() {
    return left().isZero();
  }
}
