package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.Fence;
import dev.holdfast.StaleTokenException;
import dev.holdfast.StoreException;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.ZooKeeperServer;
import dev.holdfast.testkit.StoredFenceContract;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

@NeedsServer(Server.ZOOKEEPER)
class ZooKeeperFenceIT extends StoredFenceContract {

  private static ZooKeeper client;

  private final String account = "/account-" + UUID.randomUUID();

  @BeforeAll
  static void connect() throws Exception {
    client = ZooKeeperScene.operator(ZooKeeperServer.shared().connectString());
  }

  @AfterAll
  static void close() throws Exception {
    client.close();
  }

  @Override
  protected Fence fence() {
    return ZooKeeperFence.over(client, ZooDefs.Ids.OPEN_ACL_UNSAFE);
  }

  @Override
  protected void overwrite(String name, String text) throws Exception {
    write(name, bytes(text));
  }

  private static void write(String name, byte[] data) throws Exception {
    String path = path(name);
    if (client.exists(path, false) == null) {
      client.create(path, data, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    } else {
      client.setData(path, data, -1);
    }
  }

  @Override
  protected String place(String name) {
    return "node " + path(name);
  }

  private static String path(String name) {
    return "/holdfast/fences/" + NodePaths.encode(name);
  }

  @Test
  void a_node_without_data_is_refused() throws Exception {
    fence().enter(exclusive(7));
    write(lock, null);
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> fence().enter(exclusive(8)))
        .withMessageContaining(path(lock) + " holds nothing");
  }

  @Test
  void a_client_of_the_store_finds_the_same_fence() {
    isTheFenceOf("zookeeper://" + ZooKeeperServer.shared().connectString());
  }

  @Test
  void a_write_happens_with_the_check_or_not_at_all() throws Exception {
    ZooKeeperFence fence = ZooKeeperFence.over(client, ZooDefs.Ids.OPEN_ACL_UNSAFE);
    client.create(account, bytes("0"), ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);

    assertThat(fence.write(exclusive(7), Op.setData(account, bytes("7"), -1))).hasSize(1);
    fence.enter(exclusive(8));

    assertThatExceptionOfType(StaleTokenException.class)
        .isThrownBy(() -> fence.write(exclusive(7), Op.setData(account, bytes("old"), -1)));
    assertThat(client.getData(account, false, null)).isEqualTo(bytes("7"));
  }

  @Test
  void a_refusal_of_the_data_is_reported_as_such() throws Exception {
    ZooKeeperFence fence = ZooKeeperFence.over(client, ZooDefs.Ids.OPEN_ACL_UNSAFE);
    client.create(account, bytes("0"), ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);

    assertThatExceptionOfType(KeeperException.BadVersionException.class)
        .isThrownBy(() -> fence.write(exclusive(7), Op.setData(account, bytes("1"), 5)));
    assertThat(client.getData(account, false, null)).isEqualTo(bytes("0"));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
