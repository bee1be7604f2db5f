package dev.holdfast.spi.support;

import java.time.Duration;

/** A queue's clock in microseconds, moved by hand. */
final class StepClock implements QueueClock {

  // Mutable state
  private long now = 1_700_000_000_000_000L;

  void advance(Duration time) {
    now += time.toNanos() / 1_000;
  }

  @Override
  public long now() {
    return now;
  }

  @Override
  public long micros() {
    return now;
  }

  @Override
  public long lifetime(Duration duration) {
    return duration.toNanos() / 1_000;
  }

  @Override
  public Duration since(long then) {
    return Duration.ofNanos(Math.max(0, now - then) * 1_000);
  }

  @Override
  public Duration until(long then) {
    return Duration.ofNanos(Math.max(0, then - now) * 1_000);
  }
}
