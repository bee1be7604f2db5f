package dev.holdfast.examples.recipes;

import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;

/** One SET with NX and PX to take it, a plain DEL to give it back. */
record SetPxLock(RedisCommands<String, String> redis, String key, long millis) {

  // sample: set-px
  boolean tryLock() {
    return "OK".equals(redis.set(key, "locked", SetArgs.Builder.nx().px(millis)));
  }

  void unlock() {
    redis.del(key);
  }
  // end
}
