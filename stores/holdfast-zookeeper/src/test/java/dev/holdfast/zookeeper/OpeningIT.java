package dev.holdfast.zookeeper;

import static dev.holdfast.zookeeper.ZooKeeperScene.granted;
import static dev.holdfast.zookeeper.ZooKeeperScene.mutex;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.Holdfast;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreException;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.ZooKeeperServer;
import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.store.Logged;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.UUID;
import java.util.logging.Level;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is wrong is said in one line when the store is opened, or at the latest when it is used. */
@NeedsServer(Server.ZOOKEEPER)
class OpeningIT {

  private final Ticker ticker = Ticker.system("opening");
  private final String address = ZooKeeperServer.shared().connectString();

  @AfterEach
  void close() {
    ticker.close();
  }

  @Test
  void no_server_listens() throws Exception {
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> open("zookeeper://127.0.0.1:" + unusedPort(), Duration.ofSeconds(1)))
        .withMessageContaining("No answer from zookeeper://127.0.0.1")
        .withMessageContaining("within PT1S")
        .withMessageNotContaining("\n");
  }

  @Test
  void an_unknown_host() {
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> open("zookeeper://host.invalid", Duration.ofSeconds(2)))
        .withMessageContaining("No answer from zookeeper://host.invalid");
  }

  @Test
  void one_wrong_host_among_three_works_with_a_warning() throws Exception {
    String wrong = "127.0.0.1:" + unusedPort();
    try (Logged logged = Logged.by(ZooKeeperAddress.class, Level.WARNING);
        LockStore store =
            open("zookeeper://" + wrong + ",host.invalid," + address, Duration.ofSeconds(20))) {
      granted(store, ZooKeeperScene.lasting(mutex(ZooKeeperScene.name()), Duration.ofSeconds(5)));

      ZooKeeperScene.eventually()
          .untilAsserted(
              () ->
                  assertThat(logged.texts())
                      .anyMatch(text -> text.startsWith("Cannot reach " + wrong))
                      .anyMatch(text -> text.startsWith("Cannot reach host.invalid"))
                      .hasSize(2));
    }
  }

  @Test
  void a_chroot_that_does_not_exist() {
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> open("zookeeper://" + address + "/none", Duration.ofSeconds(20)))
        .withMessageContaining("the chroot does not exist; create it with zkCli (create /none)");
  }

  @Test
  void a_chroot_that_exists() throws Exception {
    String chroot = "/app-" + UUID.randomUUID();
    try (ZooKeeper operator = ZooKeeperScene.operator(address)) {
      operator.create(chroot, null, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      try (LockStore store = open("zookeeper://" + address + chroot, Duration.ofSeconds(20))) {
        granted(store, ZooKeeperScene.lasting(mutex("a"), Duration.ofSeconds(5)));

        assertThat(operator.getChildren(chroot + NodePaths.container("a"), false)).hasSize(1);
      }
    }
  }

  @Test
  void a_login_protects_the_locks_from_other_accounts() throws Exception {
    String chroot = "/app-" + UUID.randomUUID();
    try (ZooKeeper operator = ZooKeeperScene.operator(address)) {
      operator.create(chroot, null, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      String url = "zookeeper://" + address + chroot;
      try (LockStore store = open(url, "ann", "right")) {
        granted(store, ZooKeeperScene.lasting(mutex("a"), Duration.ofSeconds(5)));
        assertThatExceptionOfType(KeeperException.NoAuthException.class)
            .isThrownBy(() -> operator.getChildren(chroot + NodePaths.container("a"), false));
      }

      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(() -> open(url, "ann", "wrong"))
          .withMessageContaining("wrong credentials, or another account created it")
          .withMessageNotContaining("wrong@");
      open(url, "ann", "right").close();
    }
  }

  @Test
  void an_account_without_permission() throws Exception {
    String chroot = "/app-" + UUID.randomUUID();
    try (ZooKeeper operator = ZooKeeperScene.operator(address)) {
      operator.create(chroot, null, ZooDefs.Ids.READ_ACL_UNSAFE, CreateMode.PERSISTENT);
      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(() -> open("zookeeper://" + address + chroot, Duration.ofSeconds(20)))
          .withMessageContaining("may not create and write nodes in " + chroot + "/holdfast");
    }
  }

  @Test
  void creator_only_without_a_login() {
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> open("zookeeper://" + address + "?acl=creator", Duration.ofSeconds(20)))
        .withMessageContaining("acl=creator needs a login");
  }

  @Test
  void a_ttl_that_is_too_long_for_the_session() {
    try (Holdfast locks = Holdfast.connect("zookeeper://" + address + "?session-timeout=4s")) {
      assertThatIllegalArgumentException()
          .isThrownBy(
              () -> locks.lock("a", LockOptions.defaults().ttl(Duration.ofSeconds(5))).acquire())
          .withMessageContaining("PT5S")
          .withMessageContaining("PT3S");
    }
  }

  private LockStore open(String url, String user, String password) {
    return new ZooKeeperProvider()
        .open(
            url,
            new StoreSettings(ticker, Duration.ofSeconds(20), new Credentials(user, password)));
  }

  private LockStore open(String url, Duration timeout) {
    return new ZooKeeperProvider().open(url, new StoreSettings(ticker, timeout));
  }

  static int unusedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
