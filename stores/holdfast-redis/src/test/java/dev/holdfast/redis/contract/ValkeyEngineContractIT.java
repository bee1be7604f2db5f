package dev.holdfast.redis.contract;

import dev.holdfast.redis.RedisFixture;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.RedisServer;
import dev.holdfast.servers.Server;
import dev.holdfast.testkit.EngineContract;
import dev.holdfast.testkit.StoreFixture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

@NeedsServer(value = Server.VALKEY, ofItsOwn = true)
class ValkeyEngineContractIT extends EngineContract {

  private static RedisServer servers;

  @BeforeAll
  static void start() {
    servers = RedisServer.startValkey();
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
