package dev.holdfast.redis;

import dev.holdfast.redis.client.RedisAddress;
import dev.holdfast.redis.script.Keys;

/**
 * How locks are kept in Redis. Clients that are to exclude each other use the same prefix.
 *
 * @param prefix of all keys and channels, so that applications can share a Redis
 * @param waitForReplicas how many replicas must have a grant or renewal before it counts; 0 for
 *     none. Makes two holders after a fail-over rarer, not impossible
 */
public record RedisOptions(String prefix, int waitForReplicas) {

  private static final RedisOptions DEFAULTS = new RedisOptions(Keys.DEFAULT_PREFIX, 0);

  /**
   * @throws IllegalArgumentException if the prefix cannot be part of a key, or the number of
   *     replicas is not between 0 and 100
   */
  public RedisOptions {
    Keys.checkPrefix(prefix);
    if (waitForReplicas < 0 || waitForReplicas > RedisAddress.MAX_REPLICAS) {
      throw new IllegalArgumentException(
          "waitForReplicas (%d) must be 0 to %d"
              .formatted(waitForReplicas, RedisAddress.MAX_REPLICAS));
    }
  }

  /** {@return keys start with {@code holdfast:}; replicas are not waited for} */
  public static RedisOptions defaults() {
    return DEFAULTS;
  }

  /** {@return the same with another prefix} */
  public RedisOptions prefix(String newPrefix) {
    return new RedisOptions(newPrefix, waitForReplicas);
  }

  /** {@return the same, waiting for this many replicas} */
  public RedisOptions waitForReplicas(int replicas) {
    return new RedisOptions(prefix, replicas);
  }
}
