package dev.holdfast.zookeeper;

import static dev.holdfast.zookeeper.ZooKeeperScene.granted;
import static dev.holdfast.zookeeper.ZooKeeperScene.mutex;
import static dev.holdfast.zookeeper.ZooKeeperScene.standing;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.ZooKeeperServer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.LockStore;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What another version, or another program, has put into a lock's folder. */
@NeedsServer(Server.ZOOKEEPER)
class UnreadableNodeIT {

  private final ZooKeeperServer server = ZooKeeperServer.shared();
  private final ZooKeeperScene scene = new ZooKeeperScene();
  private final String lock = ZooKeeperScene.name();
  private ZooKeeper operator;

  @BeforeEach
  void connect() throws Exception {
    operator = ZooKeeperScene.operator(server.connectString());
  }

  @AfterEach
  void close() throws Exception {
    scene.close();
    operator.close();
  }

  /** It may well be a claim that waits. */
  @Test
  void it_ends_no_keepable_claim() throws Exception {
    LockStore store = scene.open(server.url());
    Claim holder = mutex(lock).keepable(true);
    long token = granted(store, holder);

    operator.create(
        NodePaths.container(lock) + "/of-a-newer-version",
        new byte[0],
        ZooDefs.Ids.OPEN_ACL_UNSAFE,
        CreateMode.PERSISTENT);

    for (boolean keepable : new boolean[] {true, true, false}) {
      Granted granted = (Granted) standing(store, holder.keepable(keepable));
      assertThat(granted.token()).isEqualTo(token);
      assertThat(granted.wanted()).isEqualTo(keepable);
    }
  }
}
