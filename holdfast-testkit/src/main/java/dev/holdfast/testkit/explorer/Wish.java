package dev.holdfast.testkit.explorer;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What one caller of a world wants: one request, and the release of its lease.
 *
 * @param client the number of its client
 * @param thread the number of the thread that makes a blocking call, from 1 on; 0 for a future.
 *     Requests of the same thread of a client re-enter
 * @param limit how long it waits: zero not at all, null without limit
 * @param weight permits of a semaphore; 1 to read and 2 to write; 1 for a mutex
 * @param work how long it usually holds its lease
 * @param minHold how long the lock stays taken
 */
public record Wish(
    int client, int thread, @Nullable Duration limit, int weight, Duration work, Duration minHold) {

  /** Waits without limit. */
  public static Wish waiting(int client) {
    return new Wish(client, 0, null, 1, Duration.ZERO, Duration.ZERO);
  }

  /** Waits this long. */
  public static Wish within(int client, Duration limit) {
    return new Wish(client, 0, limit, 1, Duration.ZERO, Duration.ZERO);
  }

  /** Does not wait. */
  public static Wish trying(int client) {
    return within(client, Duration.ZERO);
  }

  /** A thread that does not wait. */
  public static Wish thread(int client, int thread) {
    return new Wish(client, thread, Duration.ZERO, 1, Duration.ZERO, Duration.ZERO);
  }

  /** The same with another weight. */
  public Wish weighing(int other) {
    return new Wish(client, thread, limit, other, work, minHold);
  }

  /** The same, usually held this long. */
  public Wish working(Duration time) {
    return new Wish(client, thread, limit, weight, time, minHold);
  }

  /** The same with this minHold. */
  public Wish keeping(Duration time) {
    return new Wish(client, thread, limit, weight, work, time);
  }
}
