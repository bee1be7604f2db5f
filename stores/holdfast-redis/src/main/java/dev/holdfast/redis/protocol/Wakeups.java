package dev.holdfast.redis.protocol;

import dev.holdfast.redis.script.Keys;
import dev.holdfast.spi.Observers;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import java.util.concurrent.CompletableFuture;

/**
 * Passes on the messages of the client's channel: the key of a lock that has granted one of its
 * claims. Thread-safe.
 */
public final class Wakeups extends RedisPubSubAdapter<String, String> {

  private final Keys keys;
  private final Observers observers;
  private final CompletableFuture<Void> subscribed = new CompletableFuture<>();

  public Wakeups(Keys keys, Observers observers) {
    this.keys = keys;
    this.observers = observers;
  }

  @Override
  public void message(String channel, String message) {
    String lock = keys.name(message);
    if (lock != null) {
      observers.wake(lock);
    }
  }

  /** After a break in the subscription, messages may have been missed: all are to check. */
  @Override
  public void subscribed(String channel, long count) {
    if (!subscribed.complete(null)) {
      observers.wakeAll();
    }
  }

  /** {@return completes when the first subscription is confirmed} */
  CompletableFuture<Void> whenSubscribed() {
    return subscribed;
  }
}
