package dev.holdfast.consul;

import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.StoreFixture;
import java.time.Duration;
import java.util.Optional;

/** Stores on one Consul that takes short ttls, with the real clock. */
final class ConsulFixture implements StoreFixture {

  /** With the usual 10 s each test of an expiry would take 20 s. */
  static final String SETTINGS = "{\"session_ttl_min\": \"1s\"}";

  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private final Ticker ticker = Ticker.system("consul-fixture");
  private final String url;
  private final Runnable restart;

  ConsulFixture(String server, Runnable restart) {
    this.url = server + "?min-ttl=1s";
    this.restart = restart;
  }

  @Override
  public LockStore open() {
    return new ConsulProvider().open(url, new StoreSettings(ticker, TIMEOUT));
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
