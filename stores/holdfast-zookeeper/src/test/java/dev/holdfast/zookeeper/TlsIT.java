package dev.holdfast.zookeeper;

import static dev.holdfast.zookeeper.ZooKeeperScene.answer;
import static dev.holdfast.zookeeper.ZooKeeperScene.granted;
import static dev.holdfast.zookeeper.ZooKeeperScene.leave;
import static dev.holdfast.zookeeper.ZooKeeperScene.mutex;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.Finding;
import dev.holdfast.StoreException;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.ZooKeeperServer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that speaks TLS and wants a certificate of its clients. */
@NeedsServer(value = Server.ZOOKEEPER, ofItsOwn = true)
class TlsIT {

  @TempDir private static Path folder;

  private static Identity serverIdentity;
  private static Identity clientIdentity;
  private static ZooKeeperServer server;
  private static int port;

  @BeforeAll
  static void start() throws Exception {
    serverIdentity = Identity.make(folder, "server");
    clientIdentity = Identity.make(folder, "client");
    port = OpeningIT.unusedPort();
    server =
        ZooKeeperServer.start(
            "serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory",
            "secureClientPort=" + port,
            "ssl.keyStore.location=" + serverIdentity.both(),
            "ssl.trustStore.location=" + clientIdentity.certificate());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void locks_work_over_tls_with_a_certificate_of_the_client() throws Exception {
    try (ZooKeeperScene scene = new ZooKeeperScene()) {
      LockStore store = scene.openAs(url() + "&identity=" + clientIdentity.both());
      Claim claim = mutex(ZooKeeperScene.name());

      granted(store, claim);

      assertThat(leave(store, claim)).isEqualTo(Left.LEFT);
      assertThat(answer(store.diagnose()).findings())
          .contains(Finding.ok("connections are encrypted, and the host's name is verified"));
    }
  }

  @Test
  void a_certificate_of_another_host_is_refused() throws Exception {
    new Socket("127.0.0.2", port).close(); // the server is there, too
    String elsewhere = url().replace("127.0.0.1", "127.0.0.2");
    try (Ticker ticker = Ticker.system("tls")) {
      StoreSettings settings = new StoreSettings(ticker, Duration.ofSeconds(3));
      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(
              () ->
                  new ZooKeeperProvider()
                      .open(elsewhere + "&identity=" + clientIdentity.both(), settings));
    }
  }

  @Test
  void a_client_without_a_certificate_is_refused() {
    try (Ticker ticker = Ticker.system("tls")) {
      StoreSettings settings = new StoreSettings(ticker, Duration.ofSeconds(3));
      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(() -> new ZooKeeperProvider().open(url(), settings))
          .withMessageContaining("No answer from zookeepers://127.0.0.1");
    }
  }

  private static String url() {
    return "zookeepers://127.0.0.1:"
        + port
        + "?session-timeout=10s&ca="
        + serverIdentity.certificate();
  }
}
