package dev.holdfast.foreign;

import dev.holdfast.servers.EtcdServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.RedisServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.ZooKeeperServer;
import java.util.Map;
import java.util.TreeMap;

/** The suites over Redis and, for releases, over other stores. */
@NeedsServer(Server.REDIS)
class ServerSuitesIT extends ForeignSuitesContract {

  private static final boolean ALL = "all".equals(System.getProperty("holdfast.foreign"));

  @Override
  Map<String, String> urls() throws Exception {
    Map<String, String> urls = new TreeMap<>(Map.of("Redis", RedisServer.shared().url()));
    if (ALL) {
      urls.put("PostgreSQL", PostgresServer.shared().newDatabase().url());
      urls.put("ZooKeeper", ZooKeeperServer.shared().url());
      urls.put("etcd", EtcdServer.shared().url());
    }
    return urls;
  }
}
