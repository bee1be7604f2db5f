package dev.holdfast.etcd;

import dev.holdfast.spi.Ticker;
import java.time.Duration;

/** Until when an operation may take, however many steps it has. */
record Deadline(Ticker ticker, long at) {

  static Deadline in(Ticker ticker, Duration time) {
    return new Deadline(ticker, ticker.nanoTime() + time.toNanos());
  }

  long leftNanos() {
    return at - ticker.nanoTime();
  }

  boolean isOver() {
    return leftNanos() <= 0;
  }
}
