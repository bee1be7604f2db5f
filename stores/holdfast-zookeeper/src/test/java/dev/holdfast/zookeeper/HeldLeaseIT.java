package dev.holdfast.zookeeper;

import static dev.holdfast.zookeeper.ZooKeeperScene.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeaseState;
import dev.holdfast.LockOptions;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.ZooKeeperServer;
import dev.holdfast.testkit.TcpProxy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;

/** What a holder sees of its session. Its renewals are so far apart that they explain nothing. */
@NeedsServer(Server.ZOOKEEPER)
class HeldLeaseIT {

  private static final int SESSION_MILLIS = 60_000;
  private static final Duration TTL = Duration.ofSeconds(45);
  private static final Duration RENEWAL = TTL.dividedBy(3);
  private static final LockOptions OPTIONS = LockOptions.defaults().ttl(TTL);

  private final String address = ZooKeeperServer.shared().connectString();
  private final String lock = ZooKeeperScene.name();
  private final long start = System.nanoTime();

  @Test
  void a_node_that_is_deleted_by_hand_is_a_loss_at_once() throws Exception {
    try (Holdfast locks = Holdfast.connect("zookeeper://" + address + "?session-timeout=60s");
        ZooKeeper operator = ZooKeeperScene.operator(address);
        Lease lease = locks.lock(lock, OPTIONS).acquire();
        Lease other = locks.lock(ZooKeeperScene.name(), OPTIONS).acquire()) {
      AtomicReference<Duration> lost = whenLost(lease);

      ZooKeeperScene.deleteByHand(operator, lock);

      eventually().until(() -> lost.get() != null);
      assertThat(lost.get()).isLessThan(RENEWAL);
      assertThat(other.state()).isEqualTo(LeaseState.HELD);
    }
  }

  @Test
  void a_session_that_has_ended_is_a_loss_at_once() throws Exception {
    try (ZooKeeper client = new ZooKeeper(address, SESSION_MILLIS, event -> {});
        Holdfast locks =
            Holdfast.builder()
                .store(ZooKeeperLockStore.over(client, ZooDefs.Ids.OPEN_ACL_UNSAFE))
                .build();
        Lease lease = locks.lock(lock, OPTIONS).acquire()) {
      AtomicReference<Duration> lost = whenLost(lease);

      ZooKeeperScene.expire(client, address);

      eventually().until(() -> lost.get() != null);
      assertThat(lost.get()).isLessThan(RENEWAL);
    }
  }

  /** Renewals fail while no server can be reached; the claim lives on. */
  @Test
  void a_broken_connection_is_a_jeopardy_and_the_lease_outlives_it() throws Exception {
    Duration ttl = Duration.ofSeconds(15);
    try (TcpProxy network = TcpProxy.to("127.0.0.1", ZooKeeperServer.shared().port());
        Holdfast locks =
            Holdfast.connect("zookeeper://127.0.0.1:" + network.port() + "?session-timeout=60s");
        Lease lease = locks.lock(lock, LockOptions.defaults().ttl(ttl)).acquire()) {
      long token = lease.token();

      network.cut();
      eventually().until(() -> lease.state() == LeaseState.JEOPARDY);
      assertThat(lease.isValid()).isTrue();
      network.heal();

      eventually().until(() -> lease.state() == LeaseState.HELD);
      assertThat(lease.token()).isEqualTo(token);
    }
  }

  private AtomicReference<Duration> whenLost(Lease lease) {
    AtomicReference<Duration> lost = new AtomicReference<>();
    lease.onLost(() -> lost.set(Duration.ofNanos(System.nanoTime() - start)));
    return lost;
  }
}
