package dev.holdfast.redis.contract;

import dev.holdfast.redis.RedisFixture;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.RedisSentinel;
import dev.holdfast.servers.Server;
import dev.holdfast.testkit.LockStoreContract;
import dev.holdfast.testkit.StoreFixture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

@NeedsServer(value = Server.REDIS, ofItsOwn = true)
class SentinelLockStoreContractIT extends LockStoreContract {

  private static RedisSentinel servers;

  @BeforeAll
  static void start() {
    servers = RedisSentinel.start();
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
