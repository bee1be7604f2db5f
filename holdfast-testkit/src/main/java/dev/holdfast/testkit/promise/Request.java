package dev.holdfast.testkit.promise;

import java.time.Duration;

/**
 * What somebody asked for. Durations are nanoseconds by the client's own clock.
 *
 * @param weight how much of the capacity it takes
 * @param capacity what all weights may add up to
 * @param limit how long it waits at most; {@link #FOR_EVER}, or 0 for a try
 * @param minHold how long the lock stays taken at least
 * @param maxHold how long it is held at most; {@link #FOR_EVER} without limit
 */
public record Request(int weight, int capacity, long limit, long minHold, long maxHold) {

  /** No limit. */
  public static final long FOR_EVER = -1;

  /** Waits for a mutex, however long. */
  public static Request mutex() {
    return new Request(1, 1, FOR_EVER, 0, FOR_EVER);
  }

  /** Waits for this weight, however long. */
  public static Request of(int weight, int capacity) {
    return new Request(weight, capacity, FOR_EVER, 0, FOR_EVER);
  }

  /** The same, waiting at most this long. */
  public Request waiting(Duration most) {
    return new Request(weight, capacity, most.toNanos(), minHold, maxHold);
  }

  /** The same, held at least this long. */
  public Request keeping(Duration least) {
    return new Request(weight, capacity, limit, least.toNanos(), maxHold);
  }

  /** The same, held at most this long. */
  public Request holding(Duration most) {
    return new Request(weight, capacity, limit, minHold, most.toNanos());
  }

  boolean isLimited() {
    return maxHold != FOR_EVER;
  }

  String line() {
    return weight + "/" + capacity + "/" + limit + "/" + minHold + "/" + maxHold;
  }

  static Request parse(String line) {
    String[] parts = line.split("/", -1);
    return new Request(
        Integer.parseInt(parts[0]),
        Integer.parseInt(parts[1]),
        Long.parseLong(parts[2]),
        Long.parseLong(parts[3]),
        Long.parseLong(parts[4]));
  }
}
