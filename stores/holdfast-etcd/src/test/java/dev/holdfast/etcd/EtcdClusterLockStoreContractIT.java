package dev.holdfast.etcd;

import dev.holdfast.servers.EtcdCluster;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.testkit.LockStoreContract;
import dev.holdfast.testkit.StoreFixture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** On three members, and of another version than the server that stands alone: 3.5. */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(providers = SideBySide.class)
@NeedsServer(value = Server.ETCD_35, ofItsOwn = true)
class EtcdClusterLockStoreContractIT extends LockStoreContract {

  // Its own cluster: it is restarted.
  private static EtcdCluster cluster;

  @BeforeAll
  static void start() {
    cluster = EtcdCluster.start35();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Override
  protected StoreFixture fixture() {
    return new EtcdFixture(cluster.url(), cluster::restartAll);
  }
}
