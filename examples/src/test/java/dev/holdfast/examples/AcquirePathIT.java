package dev.holdfast.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.servers.ConsulServer;
import dev.holdfast.servers.Database;
import dev.holdfast.servers.EtcdServer;
import dev.holdfast.servers.MemcachedServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.RedisServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.ZooKeeperServer;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The way of an uncontended acquire through each store, and what stores are built on. What is above
 * the bar of all may shrink, not grow: Consul, which sends two requests, and Redlock, which asks
 * three nodes.
 */
class AcquirePathIT {

  private static final int MOST_CALLS = 60;
  private static final int MOST_FILES = 12;

  private static final String NODE = "holdfast:redlock:node";

  private static final List<String> SHARED =
      List.of("dev.holdfast.leased.*", "dev.holdfast.register.*", "dev.holdfast.spi.support.*");

  @Test
  @NeedsServer(Server.ETCD)
  void an_acquire_can_be_followed_through_etcd() throws Exception {
    follow(EtcdServer.shared().url(), "etcd", MOST_CALLS, MOST_FILES);
  }

  @Test
  @NeedsServer(Server.CONSUL)
  void an_acquire_can_be_followed_through_consul() throws Exception {
    // Two requests: the session is renewed beside the transaction that enters. One is fifteen calls
    // with its answer, and the transaction has five operations.
    follow(ConsulServer.shared().url(), "consul", 116, 16);
  }

  @Test
  @NeedsServer(Server.ZOOKEEPER)
  void an_acquire_can_be_followed_through_zookeeper() throws Exception {
    follow(ZooKeeperServer.shared().url(), "zookeeper", MOST_CALLS, MOST_FILES);
  }

  @Test
  @NeedsServer(Server.REDIS)
  void an_acquire_can_be_followed_through_redis() throws Exception {
    follow(RedisServer.shared().url(), "redis", MOST_CALLS, MOST_FILES);
  }

  @Test
  @NeedsServer(Server.REDIS)
  void an_acquire_can_be_followed_through_redlock() throws Exception {
    List<RedisServer> nodes = RedisServer.startIndependent(3);
    try {
      for (RedisServer node : nodes) {
        node.command(
            "HSET",
            NODE,
            "format",
            "1",
            "c",
            "0",
            "longest",
            "60000",
            "inc",
            node.info("server", "run_id"));
      }
      String hosts =
          nodes.stream().map(node -> "127.0.0.1:" + node.port()).collect(Collectors.joining(","));
      // Three nodes are asked twice each; one request is ten calls, and its answer six.
      follow("redlock://" + hosts, "redis", 215, MOST_FILES);
    } finally {
      nodes.forEach(RedisServer::close);
    }
  }

  @Test
  @NeedsServer(Server.POSTGRESQL)
  void an_acquire_can_be_followed_through_postgresql() throws Exception {
    try (Database database = PostgresServer.shared().newDatabase()) {
      follow(database.url(), "jdbc", MOST_CALLS, MOST_FILES);
    }
  }

  @Test
  void an_acquire_can_be_followed_through_sqlite(@TempDir Path folder) throws Exception {
    follow("sqlite:" + folder.resolve("locks.db"), "jdbc", MOST_CALLS, MOST_FILES);
  }

  @Test
  @NeedsServer(Server.MEMCACHED)
  void an_acquire_can_be_followed_through_memcached() throws Exception {
    follow(MemcachedServer.shared().url(), "memcached", MOST_CALLS, MOST_FILES);
  }

  private static void follow(String url, String store, int mostCalls, int mostFiles)
      throws Exception {
    String own = "dev.holdfast." + store + ".";
    AcquirePath path =
        AcquirePath.follow(url, Stream.concat(Stream.of(own + "*"), SHARED.stream()).toList());
    assertThat(path.calls()).as("calls").anyMatch(call -> call.startsWith(own));
    assertThat(path.calls()).as("calls").hasSizeLessThanOrEqualTo(mostCalls);
    assertThat(path.files()).as("files").hasSizeLessThanOrEqualTo(mostFiles);
  }
}
