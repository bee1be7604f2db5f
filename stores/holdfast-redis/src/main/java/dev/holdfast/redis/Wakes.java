package dev.holdfast.redis;

import dev.holdfast.spi.Observers;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import java.util.concurrent.CompletableFuture;

/** Passes on the messages of the client's one channel: the key of a lock that has let it in. */
final class Wakes extends RedisPubSubAdapter<String, String> {

  private final Keys keys;
  private final Observers observers;
  private final CompletableFuture<Void> listening = new CompletableFuture<>();

  Wakes(Keys keys, Observers observers) {
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

  /** When the first subscription has been confirmed, and nobody will be woken because of it. */
  CompletableFuture<Void> listening() {
    return listening;
  }

  /** Messages may have been missed while there was no subscription: everybody looks for itself. */
  @Override
  public void subscribed(String channel, long count) {
    if (!listening.complete(null)) {
      observers.wakeAll();
    }
  }
}
