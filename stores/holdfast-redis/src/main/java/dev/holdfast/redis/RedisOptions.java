package dev.holdfast.redis;

import java.util.regex.Pattern;

/**
 * How locks are kept in Redis. All clients that are to exclude each other use the same prefix.
 *
 * @param prefix in front of all keys and channels, so that applications can share a Redis
 * @param waitForReplicas how many replicas must have a grant or renewal before it counts; 0 to wait
 *     for none. Makes two holders after a fail-over rarer, not impossible
 */
public record RedisOptions(String prefix, int waitForReplicas) {

  // No braces, which make hash slots; no blanks, which part the fields of a record.
  private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9._:/@+-]{0,64}");
  static final int MAX_REPLICAS = 100;
  private static final RedisOptions DEFAULTS = new RedisOptions("holdfast:", 0);

  /** Refuses what cannot be part of a key, and numbers that make no sense. */
  public RedisOptions {
    if (!PREFIX.matcher(prefix).matches()) {
      throw new IllegalArgumentException(
          "prefix '" + prefix + "' must be at most 64 of: letters, digits, . _ : / @ + -");
    }
    if (waitForReplicas < 0 || waitForReplicas > MAX_REPLICAS) {
      throw new IllegalArgumentException(
          "waitForReplicas (" + waitForReplicas + ") must be 0 to " + MAX_REPLICAS);
    }
  }

  /** Keys start with {@code holdfast:}; replicas are not waited for. */
  public static RedisOptions defaults() {
    return DEFAULTS;
  }

  /** The same with another prefix. */
  public RedisOptions prefix(String newPrefix) {
    return new RedisOptions(newPrefix, waitForReplicas);
  }

  /** The same, waiting for so many replicas. */
  public RedisOptions waitForReplicas(int replicas) {
    return new RedisOptions(prefix, replicas);
  }
}
