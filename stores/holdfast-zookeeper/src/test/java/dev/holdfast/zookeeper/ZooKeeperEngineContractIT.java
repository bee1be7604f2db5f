package dev.holdfast.zookeeper;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.ZooKeeperServer;
import dev.holdfast.testkit.EngineContract;
import dev.holdfast.testkit.StoreFixture;

@NeedsServer(Server.ZOOKEEPER)
class ZooKeeperEngineContractIT extends EngineContract {

  @Override
  protected StoreFixture fixture() {
    return new ZooKeeperFixture(ZooKeeperServer.shared().url());
  }
}
