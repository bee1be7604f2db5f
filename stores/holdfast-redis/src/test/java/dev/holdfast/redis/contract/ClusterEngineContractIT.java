package dev.holdfast.redis.contract;

import dev.holdfast.redis.RedisFixture;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.RedisCluster;
import dev.holdfast.servers.Server;
import dev.holdfast.testkit.EngineContract;
import dev.holdfast.testkit.StoreFixture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

@NeedsServer(value = Server.REDIS, ofItsOwn = true)
class ClusterEngineContractIT extends EngineContract {

  private static RedisCluster servers;

  @BeforeAll
  static void start() {
    servers = RedisCluster.start();
  }

  @AfterAll
  static void stop() {
    servers.close();
  }

  @Override
  protected StoreFixture fixture() {
    return new RedisFixture(servers.url());
  }
}
