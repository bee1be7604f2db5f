package dev.holdfast.redis;

import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.StoreFixture;
import java.time.Duration;
import java.util.Optional;

/** Stores on one Redis, with the real clock. */
final class RedisFixture implements StoreFixture {

  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private final Ticker ticker = Ticker.system("redis-fixture");
  private final String url;

  RedisFixture(String url) {
    this.url = url;
  }

  @Override
  public LockStore open() {
    return new RedisProvider().open(url, new StoreSettings(ticker, TIMEOUT));
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
