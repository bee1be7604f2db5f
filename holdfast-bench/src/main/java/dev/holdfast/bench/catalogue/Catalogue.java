package dev.holdfast.bench.catalogue;

import dev.holdfast.bench.cli.CliStore;
import dev.holdfast.bench.consul.ConsulStore;
import dev.holdfast.bench.etcd.EtcdStore;
import dev.holdfast.bench.memcached.MemcachedStore;
import dev.holdfast.bench.redis.RedisStore;
import dev.holdfast.bench.sql.SqlStore;
import dev.holdfast.bench.store.FarStore;
import dev.holdfast.bench.store.Store;
import dev.holdfast.bench.zookeeper.ZooKeeperStore;
import java.time.Duration;
import java.util.List;

/** All stores. */
public final class Catalogue {

  private static final List<Store> STORES =
      List.of(
          new RedisStore(),
          SqlStore.POSTGRESQL,
          SqlStore.POSTGRESQL_DURABLE,
          new FarStore(SqlStore.POSTGRESQL_DURABLE, Duration.ofNanos(500_000)),
          new FarStore(SqlStore.POSTGRESQL_DURABLE, Duration.ofMillis(2)),
          SqlStore.MARIADB,
          SqlStore.MARIADB_DURABLE,
          new FarStore(SqlStore.MARIADB_DURABLE, Duration.ofNanos(500_000)),
          new FarStore(SqlStore.MARIADB_DURABLE, Duration.ofMillis(2)),
          new ZooKeeperStore(),
          new EtcdStore(),
          new ConsulStore(),
          new MemcachedStore(),
          new CliStore());

  private Catalogue() {}

  /** In the order of the report. */
  public static List<Store> stores() {
    return STORES;
  }

  /** The store of this name. */
  public static Store store(String name) {
    return STORES.stream()
        .filter(store -> store.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no store '"
                        + name
                        + "'; there are "
                        + String.join(", ", STORES.stream().map(Store::name).toList())));
  }
}
