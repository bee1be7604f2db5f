package dev.holdfast.redis.redlock;

import dev.holdfast.Traits;
import dev.holdfast.redis.client.RedisAddress;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.LockStoreProvider;
import dev.holdfast.spi.StoreSettings;
import java.util.Set;

/** Opens {@code redlock://host1,host2,host3}: a quorum of independent Redis servers. */
public final class RedlockProvider implements LockStoreProvider {

  /** For the service loader. */
  public RedlockProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of("redlock");
  }

  @Override
  public Traits traits(String scheme) {
    return RedlockLockStore.traits(RedlockLockStore.USUAL_LONGEST_TTL);
  }

  @Override
  public LockStore open(String url, StoreSettings settings) {
    RedisAddress address = RedisAddress.parse(url, settings.credentials());
    return new RedlockLockStore(new QuorumOpening(address, settings).open());
  }
}
