package dev.holdfast.etcd;

import dev.holdfast.servers.EtcdServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.testkit.EngineContract;
import dev.holdfast.testkit.StoreFixture;

@NeedsServer(Server.ETCD)
class EtcdEngineContractIT extends EngineContract {

  @Override
  protected StoreFixture fixture() {
    return new EtcdFixture(EtcdServer.shared().url(), () -> {});
  }
}
