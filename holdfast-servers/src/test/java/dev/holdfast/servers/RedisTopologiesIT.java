package dev.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

@NeedsServer(value = Server.REDIS, ofItsOwn = true)
class RedisTopologiesIT {

  @Test
  void sentinels_promote_a_replica_when_the_master_is_killed() {
    try (RedisSentinel group = RedisSentinel.start()) {
      RedisServer old = group.master();
      old.command("SET", "k", "v");
      old.awaitReplicas(2);

      old.kill();
      RedisServer promoted = group.awaitAnother(old);
      assertThat(promoted.command("GET", "k")).isEqualTo("v");

      old.restart();
      group.awaitHealthy();
      assertThat(old.info("replication", "role")).isEqualTo("slave");
    }
  }

  @Test
  void a_replica_takes_over_in_a_cluster_when_its_master_is_killed() {
    try (RedisCluster cluster = RedisCluster.start()) {
      RedisServer old = cluster.masterOf("k");
      old.command("SET", "k", "v");
      old.awaitReplicas(1);

      old.kill();
      RedisServer promoted = cluster.awaitAnother("k", old);
      assertThat(promoted.command("GET", "k")).isEqualTo("v");

      old.restart();
      cluster.awaitHealthy();
      assertThat(old.info("replication", "role")).isEqualTo("slave");
    }
  }

  @Test
  void independent_servers_know_nothing_of_each_other() {
    List<RedisServer> servers = RedisServer.startIndependent(3);
    try {
      servers.get(0).command("SET", "k", "v");
      assertThat(servers.get(1).command("GET", "k")).isNull();
    } finally {
      servers.forEach(RedisServer::close);
    }
  }

  @Test
  @NeedsServer(value = Server.VALKEY, ofItsOwn = true)
  void valkey_does_as_redis_does() {
    try (RedisServer valkey = RedisServer.startValkey("appendonly yes")) {
      valkey.command("SET", "k", "v");
      valkey.kill();
      valkey.restart();
      assertThat(valkey.command("GET", "k")).isEqualTo("v");
      assertThat(valkey.info("server", "server_name")).isEqualTo("valkey");
    }
  }
}
