package dev.holdfast.etcd;

import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.StoreFixture;
import java.time.Duration;
import java.util.Optional;

/** Stores on one etcd, with the real clock. */
final class EtcdFixture implements StoreFixture {

  // Long enough for ten thousand requests at once on a machine that has other things to do.
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final Ticker ticker = Ticker.system("etcd-fixture");
  private final String url;
  private final Runnable restart;

  EtcdFixture(String url, Runnable restart) {
    this.url = url;
    this.restart = restart;
  }

  @Override
  public LockStore open() {
    return new EtcdProvider().open(url, new StoreSettings(ticker, TIMEOUT));
  }

  @Override
  public Optional<String> url() {
    return Optional.of(url);
  }

  @Override
  public void restart() {
    restart.run();
  }

  @Override
  public void close() {
    ticker.close();
  }
}
