package dev.holdfast.zookeeper;

import static dev.holdfast.zookeeper.ZooKeeperScene.eventually;
import static dev.holdfast.zookeeper.ZooKeeperScene.granted;
import static dev.holdfast.zookeeper.ZooKeeperScene.leave;
import static dev.holdfast.zookeeper.ZooKeeperScene.mutex;
import static dev.holdfast.zookeeper.ZooKeeperScene.standing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.StoreException;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.ZooKeeperServer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.LockStore;
import java.util.concurrent.ExecutionException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;

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
      eventually().until(() -> client.getEphemerals(Names.ROOT).isEmpty());
    }
  }

  /** Nobody can be asked then, and nobody need be: the claims have ended with their session. */
  @Test
  void an_expired_session_has_lost_its_claims_at_once_although_no_other_follows() throws Exception {
    try (ZooKeeper client = ZooKeeperScene.operator(address);
        LockStore store = open(client)) {
      Claim claim = mutex(lock);
      granted(store, claim);

      expire(client);

      eventually().until(() -> !client.getState().isAlive());
      eventually().untilAsserted(() -> assertThat(standing(store, claim)).isEqualTo(Gone.GONE));
      assertThatExceptionOfType(ExecutionException.class)
          .isThrownBy(() -> granted(store, mutex(lock)))
          .withCauseInstanceOf(StoreException.class)
          .withMessageContaining("open a new store");
    }
  }

  /** Whoever knows the session's password can take it over, and close it. */
  private void expire(ZooKeeper client) throws Exception {
    try (ZooKeeper other =
        new ZooKeeper(
            address, 10_000, event -> {}, client.getSessionId(), client.getSessionPasswd())) {
      eventually().until(() -> other.getState().isConnected());
    }
  }

  private static LockStore open(ZooKeeper client) {
    return ZooKeeperLockStore.over(client, ZooDefs.Ids.OPEN_ACL_UNSAFE);
  }
}
