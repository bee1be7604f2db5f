package dev.holdfast.testkit.explorer;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What one caller of a world wants: one request, and the release of its lease.
 *
 * @param client the number of its client
 * @param limit how long it waits: zero not at all, null without limit
 * @param weight permits of a semaphore; 1 to read and 2 to write; 1 for a mutex
 */
public record Wish(int client, @Nullable Duration limit, int weight) {

  /** Waits without limit. */
  public static Wish waiting(int client) {
    return new Wish(client, null, 1);
  }

  /** Waits for so long. */
  public static Wish within(int client, Duration limit) {
    return new Wish(client, limit, 1);
  }

  /** Does not wait. */
  public static Wish trying(int client) {
    return new Wish(client, Duration.ZERO, 1);
  }

  /** The same with another weight. */
  public Wish weighing(int other) {
    return new Wish(client, limit, other);
  }
}
