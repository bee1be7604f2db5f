package dev.holdfast.etcd;

import dev.holdfast.Traits;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.LockStoreProvider;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.support.StoreUrl;
import java.util.Set;

/** Opens {@code etcd://} and, with TLS, {@code etcds://}. */
public final class EtcdProvider implements LockStoreProvider {

  /** For the service loader. */
  public EtcdProvider() {}

  @Override
  public Set<String> schemes() {
    return EtcdAddress.SCHEMES;
  }

  @Override
  public Traits traits(String scheme) {
    return EtcdLockStore.TRAITS;
  }

  @Override
  public LockStore open(String url, StoreSettings settings) {
    EtcdAddress address = EtcdAddress.parse(url, settings.credentials());
    StoreSettings known =
        new StoreSettings(settings.ticker(), settings.operationTimeout(), address.login());
    EtcdOptions options = options(address.url());
    return new EtcdLockStore(address.url().toString(), address.connect(), options, known, () -> {})
        .checked();
  }

  /** How locks are kept, by the parameters of this URL. */
  static EtcdOptions options(StoreUrl url) {
    return url.options(() -> new EtcdOptions(url.value("prefix", EtcdOptions.defaults().prefix())));
  }
}
