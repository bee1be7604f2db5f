package dev.holdfast.etcd;

import dev.holdfast.servers.EtcdServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.testkit.EngineContract;
import dev.holdfast.testkit.StoreFixture;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(providers = SideBySide.class)
@NeedsServer(Server.ETCD)
class EtcdEngineContractIT extends EngineContract {

  @Override
  protected StoreFixture fixture() {
    return new EtcdFixture(EtcdServer.shared().url(), () -> {});
  }
}
