package dev.holdfast.etcd;

import dev.holdfast.spi.Ticker;
import java.util.concurrent.TimeUnit;

/**
 * When something was sent, on both clocks: the monotonic one may stop while the machine sleeps, and
 * the other one may be set back.
 */
record Sent(long nanos, long wallMicros) {

  static Sent now(Ticker ticker) {
    return new Sent(ticker.nanoTime(), ticker.wallMicros());
  }

  /** How many nanoseconds ago that was; the longer of what the two clocks say. */
  long age(Ticker ticker) {
    long slept = TimeUnit.MICROSECONDS.toNanos(ticker.wallMicros() - wallMicros);
    return Math.max(ticker.nanoTime() - nanos, slept);
  }
}
