package dev.holdfast.redis;

import dev.holdfast.Mode;
import dev.holdfast.Owner;
import dev.holdfast.Proof;
import dev.holdfast.redis.script.Keys;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.LockStoreProvider;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.StoreFixture;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Stores on Redis, with the real clock. */
public final class RedisFixture implements StoreFixture {

  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private final Ticker ticker = Ticker.system("redis-fixture");
  private final LockStoreProvider provider;
  private final String url;

  public RedisFixture(String url) {
    this(new RedisProvider(), url);
  }

  public RedisFixture(LockStoreProvider provider, String url) {
    this.provider = provider;
    this.url = url;
  }

  @Override
  public LockStore open() {
    return provider.open(url, new StoreSettings(ticker, TIMEOUT));
  }

  @Override
  public Optional<String> url() {
    return Optional.of(url);
  }

  @Override
  public String damage(String lock, String text) {
    return url.startsWith("redlock:") ? damageOnAllNodes(lock, text) : damageRecord(lock, text);
  }

  /** On the store's own connection, which knows the way to a master or a slot. */
  private String damageRecord(String lock, String text) {
    String key = new Keys(RedisOptions.defaults().prefix()).lock(lock);
    try (LockStore store = open()) {
      Proof proof =
          new Proof(lock, 1, Mode.EXCLUSIVE, new Owner("host", 1, "thread", "client", ""));
      ((RedisFence) store.fence())
          .write(proof, "redis.call('HSET', KEYS[1], 'lock', ARGV[1])", List.of(key), text);
    }
    return "key " + key;
  }

  private String damageOnAllNodes(String lock, String text) {
    String key = new Keys(RedisOptions.defaults().prefix() + "redlock:").lock(lock);
    for (String node : url.substring("redlock://".length()).replaceFirst("\\?.*", "").split(",")) {
      RedisClient client = RedisClient.create("redis://" + node);
      try {
        client.connect().sync().hset(key, "kind", text);
      } finally {
        client.shutdown();
      }
    }
    return "key " + key;
  }

  @Override
  public void close() {
    ticker.close();
  }
}
