package dev.holdfast;

import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.LockStoreProvider;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.StoreUrl;
import java.util.Collections;
import java.util.ServiceLoader;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The stores that Holdfast knows, and those of them whose modules are present. */
public final class Stores {

  /** The module to add for each scheme, so that an unknown one gets more than a no. */
  private static final SortedMap<String, String> MODULES = new TreeMap<>();

  static {
    serves("holdfast-core", "memory");
    serves("holdfast-jdbc", "sqlite", "jdbc:sqlite", "jdbc:h2");
    serves("holdfast-jdbc", "jdbc:postgresql", "jdbc:mysql", "jdbc:mariadb");
    serves("holdfast-redis", "redis", "rediss", "redis-sentinel", "redis-cluster");
    serves("holdfast-redis", "redlock");
    serves("holdfast-memcached", "memcached", "memcacheds");
    serves("holdfast-consul", "consul", "consuls");
    serves("holdfast-zookeeper", "zookeeper", "zookeepers");
    serves("holdfast-etcd", "etcd", "etcds");
  }

  private Stores() {}

  private static void serves(String module, String... schemes) {
    for (String scheme : schemes) {
      MODULES.put(scheme, module);
    }
  }

  /** The module to add for each scheme that Holdfast has a store for, present or not. */
  public static SortedMap<String, String> modules() {
    return Collections.unmodifiableSortedMap(MODULES);
  }

  /** The providers that are present, by scheme. */
  public static SortedMap<String, LockStoreProvider> providers() {
    SortedMap<String, LockStoreProvider> providers = new TreeMap<>();
    for (LockStoreProvider provider : ServiceLoader.load(LockStoreProvider.class)) {
      provider.schemes().forEach(scheme -> providers.put(scheme, provider));
    }
    return providers;
  }

  static LockStore open(@Nullable String url, StoreSettings settings) {
    if (url == null || url.isBlank()) {
      throw new IllegalArgumentException("store URL is blank; for example: memory:");
    }
    SortedMap<String, LockStoreProvider> providers = providers();
    String scheme = StoreUrl.scheme(url);
    LockStoreProvider provider = providers.get(scheme);
    if (provider != null) {
      return provider.open(url, settings);
    }
    String module = MODULES.get(scheme);
    if (module != null) {
      throw new IllegalArgumentException(
          "no store for '" + scheme + ":' on the class path; add the module " + module);
    }
    throw new IllegalArgumentException(
        "unknown store URL '"
            + StoreUrl.redact(url)
            + "'; it must start with one of: "
            + String.join(": ", providers.keySet())
            + ":"
            + missing(providers));
  }

  private static String missing(SortedMap<String, LockStoreProvider> providers) {
    StringBuilder text = new StringBuilder();
    MODULES.forEach(
        (scheme, module) -> {
          if (!providers.containsKey(scheme)) {
            text.append("; ").append(scheme).append(": with the module ").append(module);
          }
        });
    return text.toString();
  }
}
