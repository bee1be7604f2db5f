package dev.holdfast.consul;

import dev.holdfast.Traits;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.LockStoreProvider;
import dev.holdfast.spi.StoreSettings;
import java.util.Set;

/** Opens {@code consul://} and, with TLS, {@code consuls://}. Thread-safe. */
public final class ConsulProvider implements LockStoreProvider {

  /** For the service loader. */
  public ConsulProvider() {}

  @Override
  public Set<String> schemes() {
    return ConsulAddress.SCHEMES;
  }

  @Override
  public Traits traits(String scheme) {
    return ConsulLockStore.traits(ConsulAddress.DEFAULT_MIN_TTL);
  }

  @Override
  public LockStore open(String url, StoreSettings settings) {
    return ConsulLockStore.open(ConsulAddress.parse(url, settings.credentials()), settings);
  }
}
