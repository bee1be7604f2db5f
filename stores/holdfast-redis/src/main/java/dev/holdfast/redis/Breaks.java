package dev.holdfast.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateAdapter;

/** Tells when a connection breaks, before Lettuce connects again. */
final class Breaks extends RedisConnectionStateAdapter {

  private final Runnable action;

  Breaks(Runnable action) {
    this.action = action;
  }

  @Override
  public void onRedisDisconnected(RedisChannelHandler<?, ?> broken) {
    action.run();
  }
}
