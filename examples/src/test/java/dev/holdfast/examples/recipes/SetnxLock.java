package dev.holdfast.examples.recipes;

import io.lettuce.core.api.sync.RedisCommands;

/** SETNX, then EXPIRE: what was there before Redis 2.6.12. */
@SuppressWarnings("deprecation") // of SETNX, which is what this recipe is about
class SetnxLock {

  private final RedisCommands<String, String> redis;
  private final String key;
  private final int seconds;

  SetnxLock(RedisCommands<String, String> redis, String key, int seconds) {
    this.redis = redis;
    this.key = key;
    this.seconds = seconds;
  }

  // sample: setnx
  boolean tryLock() {
    if (!redis.setnx(key, "locked")) {
      return false;
    }
    between();
    return redis.expire(key, seconds);
  }

  void unlock() {
    redis.del(key);
  }

  // end

  /** Where a process may be killed. */
  void between() {}
}
