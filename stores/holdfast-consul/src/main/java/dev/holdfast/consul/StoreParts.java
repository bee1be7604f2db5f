package dev.holdfast.consul;

import dev.holdfast.leased.ClaimRegistry;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import java.time.Duration;

/** The parts of one store, which its base and its protocols share. */
record StoreParts(
    ConsulClient client,
    KeyPaths paths,
    Sessions sessions,
    ClaimRegistry registry,
    ConsulKeyCalls calls,
    ConsulWatches watches,
    StoreDiagnosis diagnosis,
    Ticker ticker) {

  static StoreParts of(ConsulAddress address, StoreSettings settings) {
    Ticker ticker = settings.ticker();
    Duration timeout = settings.operationTimeout();
    KeyPaths paths = new KeyPaths(address.prefix());
    HttpTransport transport = new HttpTransport(address, ticker);
    ConsulClient client = new ConsulClient(address.toString(), transport, ticker, timeout);
    Sessions sessions = new Sessions(client, paths, ticker);
    ClaimRegistry registry = new ClaimRegistry(ticker, timeout);
    return new StoreParts(
        client,
        paths,
        sessions,
        registry,
        new ConsulKeyCalls(sessions, registry),
        new ConsulWatches(sessions, transport, ticker),
        new StoreDiagnosis(transport, paths, timeout, address.minTtl()),
        ticker);
  }

  /** Destroys the sessions, too, unless one of them may carry a claim that has not left. */
  void close() {
    watches.close();
    if (registry.isEmpty()) {
      sessions.destroy();
    }
    client.close();
  }
}
