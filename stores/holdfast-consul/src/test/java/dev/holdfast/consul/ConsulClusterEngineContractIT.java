package dev.holdfast.consul;

import dev.holdfast.servers.ConsulCluster;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.testkit.EngineContract;
import dev.holdfast.testkit.StoreFixture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

@NeedsServer(value = Server.CONSUL, ofItsOwn = true)
class ConsulClusterEngineContractIT extends EngineContract {

  private static ConsulCluster cluster;

  @BeforeAll
  static void start() {
    cluster = ConsulCluster.start(ConsulFixture.SETTINGS);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Override
  protected StoreFixture fixture() {
    return new ConsulFixture(cluster.url(), () -> {});
  }
}
