package dev.holdfast.memcached;

import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.StoreFixture;
import java.time.Duration;
import java.util.Optional;

/** Stores on real servers that tests share, with the real clock. */
final class MemcachedFixture implements StoreFixture {

  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private final Ticker ticker = Ticker.system("memcached-fixture");
  private final String url;

  MemcachedFixture(String url) {
    this.url = url;
  }

  @Override
  public LockStore open() {
    return new MemcachedProvider().open(url, new StoreSettings(ticker, TIMEOUT));
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
