package dev.holdfast.redis;

import dev.holdfast.Traits;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.LockStoreProvider;
import dev.holdfast.spi.StoreSettings;
import java.util.Set;

/**
 * Opens {@code redis://}, {@code rediss://} (TLS), {@code redis-sentinel://} and {@code
 * redis-cluster://}.
 */
public final class RedisProvider implements LockStoreProvider {

  /** For the service loader. */
  public RedisProvider() {}

  @Override
  public Set<String> schemes() {
    return RedisAddress.SCHEMES;
  }

  @Override
  public Traits traits(String scheme) {
    return RedisLockStore.TRAITS;
  }

  @Override
  public LockStore open(String url, StoreSettings settings) {
    RedisAddress address = RedisAddress.parse(url, settings.credentials());
    Servers servers = new Clients(address, settings.operationTimeout()).servers();
    return RedisLockStore.open(address.text(), servers, address.options(), settings);
  }
}
