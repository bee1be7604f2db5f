package dev.holdfast.redis;

import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.LockStoreProvider;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.StoreFixture;
import java.time.Duration;
import java.util.Optional;

/** Stores on Redis, with the real clock. */
final class RedisFixture implements StoreFixture {

  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private final Ticker ticker = Ticker.system("redis-fixture");
  private final LockStoreProvider provider;
  private final String url;

  RedisFixture(String url) {
    this(new RedisProvider(), url);
  }

  RedisFixture(LockStoreProvider provider, String url) {
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
  public void close() {
    ticker.close();
  }
}
