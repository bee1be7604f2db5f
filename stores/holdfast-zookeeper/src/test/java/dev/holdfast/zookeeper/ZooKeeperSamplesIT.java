package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.ZooKeeperServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;

/** The samples of docs/stores/zookeeper.md. */
@NeedsServer(Server.ZOOKEEPER)
class ZooKeeperSamplesIT {

  private static final LockOptions BRIEF = LockOptions.defaults().ttl(Duration.ofSeconds(5));

  private final String address = ZooKeeperServer.shared().connectString();

  @Test
  void a_store_is_opened_by_its_url() throws Exception {
    String url = "zookeeper://" + address;
    // sample: connect
    Holdfast locks = Holdfast.connect(url); // zookeeper://zk-1:2181,zk-2:2181,zk-3:2181
    // end
    assertThatItWorks(locks);
  }

  @Test
  void a_store_works_on_the_client_of_its_caller() throws Exception {
    try (ZooKeeper client = ZooKeeperScene.operator(address)) {
      // sample: client
      ZooKeeperLockStore store = ZooKeeperLockStore.over(client, ZooDefs.Ids.OPEN_ACL_UNSAFE);
      Holdfast locks = Holdfast.builder().store(store).build();
      // end
      assertThatItWorks(locks);
    }
  }

  @Test
  void a_fence_guards_data_in_zookeeper() throws Exception {
    try (Holdfast locks = Holdfast.connect("zookeeper://" + address);
        ZooKeeper client = ZooKeeperScene.operator(address)) {
      String node =
          client.create(
              "/balance-",
              bytes("0"),
              ZooDefs.Ids.OPEN_ACL_UNSAFE,
              CreateMode.PERSISTENT_SEQUENTIAL);
      // sample: fence
      ZooKeeperFence fence = ZooKeeperFence.over(client, ZooDefs.Ids.OPEN_ACL_UNSAFE);
      try (Lease lease = locks.lock("account/7", BRIEF).acquire()) {
        fence.enter(lease.proof()); // before the first read
        long balance = Long.parseLong(text(client.getData(node, false, null)));
        fence.write(lease.proof(), Op.setData(node, bytes(balance + 150), -1));
      }
      // end
      assertThat(text(client.getData(node, false, null))).isEqualTo("150");
    }
  }

  private static byte[] bytes(Object value) {
    return value.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] data) {
    return new String(data, StandardCharsets.UTF_8);
  }

  private static void assertThatItWorks(Holdfast locks) throws InterruptedException {
    try (locks;
        Lease lease = locks.lock(ZooKeeperScene.name(), BRIEF).acquire()) {
      assertThat(lease.isValid()).isTrue();
    }
  }
}
