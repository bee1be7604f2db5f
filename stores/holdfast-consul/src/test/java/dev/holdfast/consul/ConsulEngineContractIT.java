package dev.holdfast.consul;

import dev.holdfast.servers.ConsulServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.testkit.EngineContract;
import dev.holdfast.testkit.StoreFixture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

@NeedsServer(value = Server.CONSUL, ofItsOwn = true)
class ConsulEngineContractIT extends EngineContract {

  private static ConsulServer server;

  @BeforeAll
  static void start() {
    server = ConsulServer.start(ConsulFixture.SETTINGS);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Override
  protected StoreFixture fixture() {
    return new ConsulFixture(server.url(), () -> {});
  }
}
