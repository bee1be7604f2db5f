package dev.holdfast.torture.store;

import static dev.holdfast.torture.store.FaultKind.ALL_PAUSE;
import static dev.holdfast.torture.store.FaultKind.ALL_RESTART;
import static dev.holdfast.torture.store.FaultKind.BREAK;
import static dev.holdfast.torture.store.FaultKind.CLOCK_AHEAD;
import static dev.holdfast.torture.store.FaultKind.CLOCK_BACK;
import static dev.holdfast.torture.store.FaultKind.DISK_FULL;
import static dev.holdfast.torture.store.FaultKind.LEADER_KILL;
import static dev.holdfast.torture.store.FaultKind.LEADER_PAUSE;
import static dev.holdfast.torture.store.FaultKind.NETWORK_CUT;
import static dev.holdfast.torture.store.FaultKind.NETWORK_DELAY;
import static dev.holdfast.torture.store.FaultKind.NETWORK_HALF_OPEN;
import static dev.holdfast.torture.store.FaultKind.NETWORK_HANG;
import static dev.holdfast.torture.store.FaultKind.SERVER_KILL;
import static dev.holdfast.torture.store.FaultKind.SERVER_PAUSE;
import static dev.holdfast.torture.store.FaultKind.WORKER_KILL;
import static dev.holdfast.torture.store.FaultKind.WORKER_PAUSE;

import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The stores. */
public final class Catalogue {

  private static final Set<FaultKind> NETWORK =
      EnumSet.of(NETWORK_CUT, NETWORK_HANG, NETWORK_HALF_OPEN, NETWORK_DELAY);
  private static final Set<FaultKind> CLOCK = EnumSet.of(CLOCK_AHEAD, CLOCK_BACK);
  private static final Set<FaultKind> GROUP =
      EnumSet.of(LEADER_PAUSE, LEADER_KILL, ALL_PAUSE, ALL_RESTART);

  private static final Duration TTL = Duration.ofSeconds(3);

  private static final String NO_CLOCK = "no library sets this server's clock";
  private static final String MONOTONIC = "it counts by the monotonic clock, which nobody can set";
  private static final String ONE = "it is one server";
  private static final String TOLD = "its servers tell clients their addresses, past any proxy";
  private static final String NO_DISK = "it keeps nothing on a disk";
  private static final String MEMORY_DISK = "its data is in memory";
  private static final String EMPTY = "a server without persistence comes back empty";
  private static final String FAILOVER = "a replica that takes over may have missed grants";
  private static final String JUMP = "a clock that jumps ends claims early";

  private static final List<Target> ALL =
      List.of(
          target("sqlite", "SQLite", TTL, (disk, ttl) -> Recipes.sqlite(disk))
              .without(NETWORK, "it has no network")
              .without(EnumSet.of(SERVER_PAUSE, SERVER_KILL), "it has no server")
              .without(GROUP, "it has no server")
              .without(CLOCK, "its clock is the machine's")
              .build(),
          target("postgresql", "PostgreSQL", TTL, (disk, ttl) -> Recipes.postgres())
              .without(GROUP, ONE)
              .without(CLOCK, NO_CLOCK)
              .build(),
          target("mysql", "MySQL", TTL, (disk, ttl) -> Recipes.mySql())
              .without(GROUP, ONE)
              .without(CLOCK, NO_CLOCK)
              .build(),
          target("mariadb", "MariaDB", TTL, (disk, ttl) -> Recipes.mariaDb())
              .without(GROUP, ONE)
              .without(CLOCK, NO_CLOCK)
              .build(),
          target("redis", "Redis", TTL, (disk, ttl) -> Recipes.redis())
              .without(GROUP, ONE)
              .without(EnumSet.of(DISK_FULL), NO_DISK)
              .forgets(EnumSet.of(SERVER_KILL), EMPTY)
              .forgets(EnumSet.of(CLOCK_AHEAD, CLOCK_BACK), JUMP)
              .build(),
          target(
                  "redis-sentinel",
                  "Redis, three behind Sentinel",
                  TTL,
                  (disk, ttl) -> Recipes.sentinel())
              .without(NETWORK, TOLD)
              .without(EnumSet.of(DISK_FULL), NO_DISK)
              .without(CLOCK, "its nodes are started without a clock that can be set")
              .failsOver(GROUP)
              .build(),
          target("redis-cluster", "Redis Cluster of six", TTL, (disk, ttl) -> Recipes.cluster())
              .without(NETWORK, TOLD)
              .without(EnumSet.of(DISK_FULL), NO_DISK)
              .without(CLOCK, "its nodes are started without a clock that can be set")
              .failsOver(EnumSet.of(SERVER_KILL, SERVER_PAUSE))
              .failsOver(GROUP)
              .build(),
          target("redlock", "Redlock of five", TTL, (disk, ttl) -> Recipes.redlock(ttl))
              .without(EnumSet.of(LEADER_PAUSE, LEADER_KILL), "it has no leader")
              .without(EnumSet.of(ALL_RESTART), "an operator would have to set the nodes up again")
              .without(EnumSet.of(DISK_FULL), NO_DISK)
              .forgets(CLOCK, JUMP)
              .build(),
          target("memcached", "Memcached", TTL, (disk, ttl) -> Recipes.memcached())
              .without(GROUP, ONE)
              .without(CLOCK, MONOTONIC)
              .without(EnumSet.of(DISK_FULL), NO_DISK)
              .forgets(EnumSet.of(SERVER_KILL), EMPTY)
              .build(),
          target("zookeeper", "ZooKeeper", TTL, (disk, ttl) -> Recipes.zooKeeper(ttl))
              .without(GROUP, ONE)
              .without(CLOCK, MONOTONIC)
              .build(),
          target("zookeeper-3", "ZooKeeper, three", TTL, (disk, ttl) -> Recipes.zooKeepers(ttl))
              .without(CLOCK, MONOTONIC)
              .build(),
          target("etcd", "etcd", Duration.ofSeconds(4), (disk, ttl) -> Recipes.etcd())
              .without(GROUP, ONE)
              .without(CLOCK, MONOTONIC)
              .build(),
          target("etcd-3", "etcd, three", Duration.ofSeconds(4), (disk, ttl) -> Recipes.etcds())
              .without(CLOCK, MONOTONIC)
              .build(),
          target("consul", "Consul", Duration.ofSeconds(10), (disk, ttl) -> Recipes.consul())
              .without(GROUP, ONE)
              .without(CLOCK, MONOTONIC)
              .without(EnumSet.of(DISK_FULL), MEMORY_DISK)
              .build());

  private Catalogue() {}

  /** All that can be tortured. */
  public static List<Target> all() {
    return ALL;
  }

  /** The one with this name. */
  public static Target get(String name) {
    return ALL.stream()
        .filter(target -> target.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no store '"
                        + name
                        + "'; there are "
                        + String.join(", ", ALL.stream().map(Target::name).toList())
                        + (name.equals("memory")
                            ? ". memory: excludes threads of one JVM; there are no other processes"
                            : "")));
  }

  private static Builder target(String name, String title, Duration ttl, Target.Starter starter) {
    return new Builder(name, title, ttl, starter);
  }

  private static final class Builder {
    private final String name;
    private final String title;
    private final Duration ttl;
    private final Target.Starter starter;
    private final Map<FaultKind, String> notRun = new EnumMap<>(FaultKind.class);
    private final Map<FaultKind, String> forgets = new EnumMap<>(FaultKind.class);
    private final Set<FaultKind> splits = EnumSet.noneOf(FaultKind.class);

    Builder(String name, String title, Duration ttl, Target.Starter starter) {
      this.name = name;
      this.title = title;
      this.ttl = ttl;
      this.starter = starter;
    }

    Builder without(Set<FaultKind> kinds, String why) {
      kinds.forEach(kind -> notRun.put(kind, why));
      return this;
    }

    Builder forgets(Set<FaultKind> kinds, String why) {
      kinds.forEach(kind -> forgets.put(kind, why));
      return this;
    }

    /** The old master may serve for a while beside the new one. */
    Builder failsOver(Set<FaultKind> kinds) {
      splits.addAll(kinds);
      return forgets(kinds, FAILOVER);
    }

    Target build() {
      Set<FaultKind> faults =
          EnumSet.of(WORKER_PAUSE, WORKER_KILL, BREAK, SERVER_PAUSE, SERVER_KILL, DISK_FULL);
      faults.addAll(NETWORK);
      faults.addAll(GROUP);
      faults.addAll(CLOCK);
      faults.removeAll(notRun.keySet());
      return new Target(name, title, ttl, starter, faults, notRun, forgets, splits);
    }
  }
}
