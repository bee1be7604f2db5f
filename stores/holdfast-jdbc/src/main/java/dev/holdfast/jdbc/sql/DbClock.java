package dev.holdfast.jdbc.sql;

import dev.holdfast.spi.support.QueueClock;
import java.time.Duration;

/**
 * The database's clock as one statement read it, in microseconds since 1970.
 *
 * @param now what it said
 * @param step its resolution: the true time is less than a step later
 */
public record DbClock(long now, long step) implements QueueClock {

  @Override
  public long micros() {
    return now;
  }

  @Override
  public long lifetime(Duration ttl) {
    return Dialect.lifetime(ttl, step);
  }

  @Override
  public Duration until(long then) {
    return Duration.ofNanos(Math.max(0, then - now - step) * 1_000);
  }

  @Override
  public Duration since(long then) {
    return Duration.ofNanos(Math.max(0, now - then) * 1_000);
  }
}
