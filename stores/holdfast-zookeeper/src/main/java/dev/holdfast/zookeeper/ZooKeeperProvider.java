package dev.holdfast.zookeeper;

import dev.holdfast.Traits;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.LockStoreProvider;
import dev.holdfast.spi.StoreSettings;
import java.util.Set;

/** Opens {@code zookeeper://}, and {@code zookeepers://} with TLS. */
public final class ZooKeeperProvider implements LockStoreProvider {

  /** For the service loader. */
  public ZooKeeperProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of(ZooKeeperAddress.SCHEME, ZooKeeperAddress.SECURE_SCHEME);
  }

  @Override
  public Traits traits(String scheme) {
    return ZooKeeperLockStore.traits(ZooKeeperAddress.DEFAULT_SESSION_TIMEOUT);
  }

  @Override
  public LockStore open(String url, StoreSettings settings) {
    ZooKeeperAddress address = ZooKeeperAddress.parse(url, settings.credentials());
    StoreConnection connection = StoreConnection.open(SessionSource.of(address), settings);
    LockStore store = new ZooKeeperLockStore(connection, settings.ticker(), () -> {});
    address.warnOfMissingHosts(settings.operationTimeout());
    return store;
  }
}
