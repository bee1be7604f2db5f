package dev.holdfast.zookeeper;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.ZooKeeperServer;
import dev.holdfast.testkit.LockStoreContract;
import dev.holdfast.testkit.StoreFixture;

@NeedsServer(Server.ZOOKEEPER)
class ZooKeeperLockStoreContractIT extends LockStoreContract {

  @Override
  protected StoreFixture fixture() {
    return new ZooKeeperFixture(ZooKeeperServer.shared().url());
  }
}
