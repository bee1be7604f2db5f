package dev.holdfast.zookeeper;

import static dev.holdfast.zookeeper.ZooKeeperScene.answer;
import static dev.holdfast.zookeeper.ZooKeeperScene.eventually;
import static dev.holdfast.zookeeper.ZooKeeperScene.granted;
import static dev.holdfast.zookeeper.ZooKeeperScene.lasting;
import static dev.holdfast.zookeeper.ZooKeeperScene.leave;
import static dev.holdfast.zookeeper.ZooKeeperScene.mutex;
import static dev.holdfast.zookeeper.ZooKeeperScene.standing;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.ZooKeeperServer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.LockStore;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.TcpProxy;
import java.time.Duration;
import java.util.UUID;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Locks below a chroot live through audits, which ZooKeeper answers from its own root. */
@NeedsServer(Server.ZOOKEEPER)
class ChrootIT {

  private final ZooKeeperServer server = ZooKeeperServer.shared();
  private final ZooKeeperScene scene = new ZooKeeperScene();
  private final String chroot = "/app-" + UUID.randomUUID();
  private final Claim kept = lasting(mutex(ZooKeeperScene.name()), Duration.ofSeconds(7));

  @BeforeEach
  void makeChroot() throws Exception {
    try (ZooKeeper operator = ZooKeeperScene.operator(server.connectString())) {
      operator.create(chroot, null, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    }
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void an_audit_finds_what_a_lost_answer_left_behind_and_nothing_else() throws Exception {
    String lock = ZooKeeperScene.name();
    LockStore other = scene.open(server.url() + chroot);
    Claim before = mutex(lock);
    granted(other, before); // so that the folder is there, and the join below is one request
    leave(other, before);
    try (TcpProxy network = TcpProxy.to("127.0.0.1", server.port())) {
      LockStore store = scene.open("zookeeper://127.0.0.1:" + network.port() + chroot);
      granted(store, kept);
      network.hangAnswers();
      var join = store.join(mutex(lock), true, Deadlines.far()).toCompletableFuture();
      eventually().until(() -> answer(other.inspect(lock)).isHeld());
      network.cut();
      network.heal();

      assertThat(join).failsWithin(Duration.ofSeconds(30));
      eventually().until(() -> holds(store) && !answer(other.inspect(lock)).isHeld());
    }
  }

  @Test
  void so_it_does_on_a_client_of_the_callers() throws Exception {
    try (ZooKeeper client = ZooKeeperScene.operator(server.connectString() + chroot);
        LockStore store = OwnClientIT.open(client)) {
      granted(store, kept);
      String own = client.getChildren(NodePaths.container(kept.lock()), false).get(0);
      String stranger =
          NodePaths.container(kept.lock())
              + "/"
              + own.replace(kept.id(), kept.id().replaceAll(".", "0"));
      client.create(stranger, null, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
      String notOurs = NodePaths.LOCKS + "mith";
      client.create(notOurs, null, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);

      eventually().until(() -> holds(store) && client.exists(stranger, false) == null);
      assertThat(client.exists(notOurs, false)).isNotNull();
    }
  }

  /** Renews it, too. */
  private boolean holds(LockStore store) throws Exception {
    return standing(store, kept) instanceof Granted;
  }
}
