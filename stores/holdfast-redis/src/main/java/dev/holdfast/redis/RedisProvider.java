package dev.holdfast.redis;

import dev.holdfast.Traits;
import dev.holdfast.redis.client.ClientFactory;
import dev.holdfast.redis.client.ConnectionSource;
import dev.holdfast.redis.client.RedisAddress;
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
    ConnectionSource source = new ClientFactory(address, settings.operationTimeout()).open();
    RedisOptions options = new RedisOptions(address.prefix(), address.waitForReplicas());
    return new RedisLockStore(address.text(), source, options, settings);
  }
}
