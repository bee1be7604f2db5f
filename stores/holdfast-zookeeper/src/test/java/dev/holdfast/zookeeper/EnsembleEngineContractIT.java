package dev.holdfast.zookeeper;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.testkit.EngineContract;
import dev.holdfast.testkit.StoreFixture;

/** The clients speak to any of three servers. */
@NeedsServer(value = Server.ZOOKEEPER, ofItsOwn = true)
class EnsembleEngineContractIT extends EngineContract {

  @Override
  protected StoreFixture fixture() {
    return new ZooKeeperFixture(SharedEnsemble.url());
  }
}
