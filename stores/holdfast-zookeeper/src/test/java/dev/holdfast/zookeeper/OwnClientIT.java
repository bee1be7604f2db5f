package dev.holdfast.zookeeper;

import static dev.holdfast.zookeeper.ZooKeeperScene.eventually;
import static dev.holdfast.zookeeper.ZooKeeperScene.granted;
import static dev.holdfast.zookeeper.ZooKeeperScene.leave;
import static dev.holdfast.zookeeper.ZooKeeperScene.mutex;
import static dev.holdfast.zookeeper.ZooKeeperScene.standing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.holdfast.StoreException;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.ZooKeeperServer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.LockStore;
import dev.holdfast.testkit.TcpProxy;
import java.util.concurrent.ExecutionException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Locks on the session of a client that is the caller's. */
@NeedsServer(Server.ZOOKEEPER)
class OwnClientIT {

  private final String address = ZooKeeperServer.shared().connectString();
  private final String lock = ZooKeeperScene.name();

  @Test
  void it_carries_locks_and_is_left_as_it_was() throws Exception {
    try (ZooKeeper client = ZooKeeperScene.operator(address)) {
      try (LockStore store = open(client)) {
        Claim claim = mutex(lock);
        granted(store, claim);
        assertThat(standing(store, claim)).isInstanceOf(Granted.class);
        leave(store, claim);
      }

      assertThat(client.getState().isConnected()).isTrue();
      eventually().until(() -> client.getEphemerals(NodePaths.ROOT).isEmpty());
    }
  }

  /** No server can be asked then, and none need be: the claims have ended with their session. */
  @Test
  void an_expired_session_has_lost_its_claims_at_once_although_no_other_follows() throws Exception {
    try (ZooKeeper client = ZooKeeperScene.operator(address);
        LockStore store = open(client)) {
      Claim claim = mutex(lock);
      granted(store, claim);

      ZooKeeperScene.expire(client, address);

      eventually().until(() -> !client.getState().isAlive());
      eventually().untilAsserted(() -> assertThat(standing(store, claim)).isEqualTo(Gone.GONE));
      assertThatExceptionOfType(ExecutionException.class)
          .isThrownBy(() -> granted(store, mutex(lock)))
          .withCauseInstanceOf(StoreException.class)
          .withMessageContaining("open a new store");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"create " + NodePaths.ROOT, NodePaths.ROOT})
  void a_connection_that_breaks_while_the_store_is_opened_is_made_again(String asked)
      throws Exception {
    try (TcpProxy network = TcpProxy.to("127.0.0.1", ZooKeeperServer.shared().port());
        Meddler client = new Meddler("127.0.0.1:" + network.port())) {
      eventually().until(() -> client.getState().isConnected());
      client.duringQuestion(
          asked,
          network::hangAnswers,
          () -> {
            network.cut();
            network.heal();
          });

      try (LockStore store = open(client)) {
        granted(store, mutex(lock));
      }
    }
  }

  /** The second would take the nodes of the first for left behind, and delete them. */
  @Test
  void it_carries_the_locks_of_one_store_at_a_time() throws Exception {
    try (ZooKeeper client = ZooKeeperScene.operator(address)) {
      try (LockStore store = open(client)) {
        Claim claim = mutex(lock);
        granted(store, claim);

        assertThatIllegalStateException()
            .isThrownBy(() -> open(client))
            .withMessageContaining("share that store");
        assertThat(standing(store, claim)).isInstanceOf(Granted.class);
      }
      open(client).close();
    }
  }

  /** The session of the caller's client lives on, so its claims would never end. */
  @Test
  void what_has_not_left_when_the_store_is_closed_leaves() throws Exception {
    try (ZooKeeper client = ZooKeeperScene.operator(address)) {
      try (LockStore store = open(client)) {
        granted(store, mutex(lock));
      }

      eventually().until(() -> client.getEphemerals(NodePaths.ROOT).isEmpty());
    }
  }

  @Test
  void a_deletion_that_only_one_server_claims_is_no_loss() throws Exception {
    try (Meddler client = new Meddler(address);
        LockStore store = open(client);
        ZooKeeper operator = ZooKeeperScene.operator(address)) {
      Claim claim = mutex(lock);
      long token = granted(store, claim);
      standing(store, claim); // its answer comes after the one that set the watch
      String container = NodePaths.container(lock);
      String node = container + "/" + operator.getChildren(container, false).get(0);

      client.claimDeleted(node);

      assertThat(standing(store, claim)).isEqualTo(new Granted(token));
      operator.delete(node, -1);
      assertThat(standing(store, claim)).isEqualTo(Gone.GONE);
    }
  }

  /** Such a client receives no event of a deletion after a reconnection. */
  @Test
  void a_client_that_forgets_its_watches_confirms_no_claim_that_was_deleted() throws Exception {
    ZKClientConfig config = new ZKClientConfig();
    config.setProperty(ZKClientConfig.DISABLE_AUTO_WATCH_RESET, "true");
    try (TcpProxy network = TcpProxy.to("127.0.0.1", ZooKeeperServer.shared().port());
        ZooKeeper client =
            new ZooKeeper("127.0.0.1:" + network.port(), 10_000, event -> {}, config);
        ZooKeeper operator = ZooKeeperScene.operator(address);
        LockStore store = open(client)) {
      Claim claim = mutex(lock);
      granted(store, claim);
      standing(store, claim);

      network.cut();
      eventually().until(() -> !client.getState().isConnected());
      network.heal();
      eventually()
          .untilAsserted(() -> assertThat(standing(store, claim)).isInstanceOf(Granted.class));
      ZooKeeperScene.deleteByHand(operator, lock);

      assertThat(standing(store, claim)).isEqualTo(Gone.GONE);
    }
  }

  static LockStore open(ZooKeeper client) {
    return ZooKeeperLockStore.over(client, ZooDefs.Ids.OPEN_ACL_UNSAFE);
  }
}
