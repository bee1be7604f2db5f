package dev.holdfast;

import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.LockStoreProvider;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.support.Secrets;
import dev.holdfast.spi.support.StoreUrl;
import java.lang.System.Logger.Level;
import java.util.Collections;
import java.util.Iterator;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The stores that Holdfast knows, and those of them whose modules are present. */
public final class Stores {

  private static final System.Logger LOG = System.getLogger(Stores.class.getName());

  // An iterator that cannot read its configuration fails each time it is asked.
  private static final int MOST_SKIPPED = 100;

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

  /**
   * The providers that are present, by scheme: first those beside Holdfast itself, whatever the
   * thread's context class loader is, then those that only this one knows.
   */
  public static SortedMap<String, LockStoreProvider> providers() {
    SortedMap<String, LockStoreProvider> providers = new TreeMap<>();
    ClassLoader own = Stores.class.getClassLoader();
    for (LockStoreProvider provider : ServiceLoader.load(LockStoreProvider.class, own)) {
      add(providers, provider);
    }
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    if (context != null && context != own) {
      addUsable(providers, ServiceLoader.load(LockStoreProvider.class, context).iterator());
    }
    return providers;
  }

  // It may have its own Holdfast, whose providers are not ours.
  private static void addUsable(
      SortedMap<String, LockStoreProvider> providers, Iterator<LockStoreProvider> found) {
    for (int skipped = 0; skipped < MOST_SKIPPED; skipped++) {
      try {
        while (found.hasNext()) {
          add(providers, found.next());
        }
        return;
      } catch (ServiceConfigurationError e) {
        LOG.log(Level.DEBUG, "Skipping a store of the context class loader: " + e.getMessage());
      }
    }
  }

  private static void add(
      SortedMap<String, LockStoreProvider> providers, LockStoreProvider provider) {
    provider.schemes().forEach(scheme -> providers.putIfAbsent(scheme, provider));
  }

  static LockStore open(@Nullable String url, StoreSettings settings) {
    if (url == null) {
      throw new IllegalArgumentException(
          "no store given; call store(\"memory:\") or another URL first");
    }
    if (url.isBlank()) {
      throw new IllegalArgumentException("store URL is blank; for example: memory:");
    }
    SortedMap<String, LockStoreProvider> providers = providers();
    String scheme = StoreUrl.scheme(url);
    LockStoreProvider provider = providers.get(scheme);
    if (provider != null) {
      return open(provider, url, settings);
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

  /** What a client library says of a failure is not ours to know, but ours to show. */
  private static LockStore open(LockStoreProvider provider, String url, StoreSettings settings) {
    Secrets secrets = Secrets.of(url, settings.credentials());
    try {
      return secrets.guard(provider.open(url, settings));
    } catch (RuntimeException e) {
      throw secrets.hide(e);
    }
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
