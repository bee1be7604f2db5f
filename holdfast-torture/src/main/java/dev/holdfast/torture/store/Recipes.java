package dev.holdfast.torture.store;

import dev.holdfast.servers.ConsulServer;
import dev.holdfast.servers.EtcdCluster;
import dev.holdfast.servers.EtcdServer;
import dev.holdfast.servers.MariaDbServer;
import dev.holdfast.servers.MemcachedServer;
import dev.holdfast.servers.MySqlServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.RedisCluster;
import dev.holdfast.servers.RedisSentinel;
import dev.holdfast.servers.RedisServer;
import dev.holdfast.servers.ServerGroup;
import dev.holdfast.servers.ServerNode;
import dev.holdfast.servers.SqlServer;
import dev.holdfast.servers.ZooKeeperEnsemble;
import dev.holdfast.servers.ZooKeeperServer;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How the servers of each store are started. */
final class Recipes {

  private static final int REDLOCK_NODES = 5;

  /** What an operator writes on each node of a Redlock once: see docs/stores/redlock.md. */
  private static final String SET_UP =
      """
      return redis.call('HSET', 'holdfast:redlock:node', 'format', '1', 'c', ARGV[1], 'longest', ARGV[2],
          'inc', string.match(redis.call('INFO', 'server'), 'run_id:(%x+)'))""";

  private Recipes() {}

  static Site sqlite(Path disk) {
    return Site.of("sqlite:" + disk.resolve("locks.db"));
  }

  static Site postgres() throws SQLException {
    return sql(PostgresServer.start());
  }

  static Site mySql() throws SQLException {
    return sql(MySqlServer.start());
  }

  static Site mariaDb() throws SQLException {
    return sql(MariaDbServer.start());
  }

  static Site redis() {
    RedisServer server = RedisServer.startWithClock();
    return Site.of(server.url(), server);
  }

  static Site sentinel() {
    RedisSentinel group = RedisSentinel.start();
    return new Site(
        group.url(),
        group.nodes(),
        List.of(), // the Sentinels tell clients the address of the master
        group::master,
        group::awaitHealthy,
        Site::restartEach,
        group);
  }

  static Site cluster() {
    RedisCluster group = RedisCluster.start();
    return new Site(
        group.url(),
        group.nodes(),
        List.of(), // each node tells clients the addresses of all
        () -> group.masterOf("holdfast:{torture/mutex-a}"),
        group::awaitHealthy,
        Site::restartEach,
        group);
  }

  static Site redlock(Duration ttl) {
    List<RedisServer> nodes =
        Stream.generate(() -> RedisServer.startWithClock()).limit(REDLOCK_NODES).toList();
    String counter = Long.toString(System.currentTimeMillis() * 1_000);
    for (RedisServer node : nodes) {
      node.command("EVAL", SET_UP, "0", counter, Long.toString(ttl.toMillis()));
    }
    String url =
        nodes.stream()
            .map(node -> "127.0.0.1:" + node.port())
            .collect(Collectors.joining(",", "redlock://", ""));
    return new Site(
        url,
        nodes,
        nodes,
        () -> nodes.get(0),
        () -> rest(ttl),
        Site::restartEach,
        () -> nodes.forEach(ServerNode::close));
  }

  static Site memcached() {
    MemcachedServer server = MemcachedServer.start();
    return Site.of(server.url(), server);
  }

  static Site zooKeeper(Duration ttl) {
    ZooKeeperServer server = ZooKeeperServer.start();
    return Site.of(server.url() + session(ttl), server);
  }

  static Site zooKeepers(Duration ttl) {
    ZooKeeperEnsemble group = ZooKeeperEnsemble.start();
    return group(group.url() + session(ttl), group, group::leader);
  }

  static Site etcd() {
    EtcdServer server = EtcdServer.start();
    return Site.of(server.url(), server);
  }

  static Site etcds() {
    EtcdCluster group = EtcdCluster.start();
    return group(group.url(), group, group::leader);
  }

  static Site consul() {
    ConsulServer server = ConsulServer.start();
    return Site.of(server.url(), server);
  }

  /** A node that was restarted has no vote before, and a clock that jumps would cut that short. */
  private static void rest(Duration ttl) {
    try {
      TimeUnit.MILLISECONDS.sleep(2 * ttl.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** A ttl is at most three quarters of the session's time-out. */
  private static String session(Duration ttl) {
    return "?session-timeout=" + ttl.multipliedBy(4).dividedBy(3).toSeconds() + "s";
  }

  private static Site sql(SqlServer server) throws SQLException {
    return Site.of(server.newDatabase().url(), server);
  }

  private static <N extends ServerNode> Site group(
      String url, ServerGroup<N> group, Supplier<N> leader) {
    return new Site(
        url,
        group.nodes(),
        group.nodes(),
        leader::get,
        () -> Objects.requireNonNull(leader.get()), // waits for one
        nodes -> group.restart(group.nodes().stream().filter(nodes::contains).toList()),
        group);
  }
}
