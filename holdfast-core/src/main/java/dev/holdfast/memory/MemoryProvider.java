package dev.holdfast.memory;

import dev.holdfast.Traits;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.LockStoreProvider;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.support.StoreUrl;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Opens {@code memory:} and {@code memory:NAME}. Clients of one JVM that use the same URL exclude
 * each other.
 */
public final class MemoryProvider implements LockStoreProvider {

  // Bounded by the names that a program's URLs spell out.
  private static final ConcurrentHashMap<String, MemorySpace> SPACES = new ConcurrentHashMap<>();

  @Override
  public Set<String> schemes() {
    return Set.of("memory");
  }

  @Override
  public Traits traits(String scheme) {
    return MemoryLockStore.TRAITS;
  }

  @Override
  public LockStore open(String url, StoreSettings settings) {
    MemorySpace space = SPACES.computeIfAbsent(url, key -> new MemorySpace());
    return new MemoryLockStore(StoreUrl.redact(url), space, settings.ticker());
  }
}
