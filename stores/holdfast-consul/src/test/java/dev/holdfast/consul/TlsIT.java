package dev.holdfast.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Finding;
import dev.holdfast.StoreException;
import dev.holdfast.servers.ConsulServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.store.Ask;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An agent with TLS. */
@NeedsServer(value = Server.CONSUL, ofItsOwn = true)
class TlsIT {

  private static final Ticker TICKER = Ticker.system("tls-it");

  @TempDir static Path directory;

  private static ConsulServer server;
  private static int port;

  @BeforeAll
  static void start() throws Exception {
    X509Bundle certificate =
        new CertificateBuilder()
            .subject("CN=consul test")
            .addSanIpAddress("127.0.0.1")
            .setIsCertificateAuthority(true)
            .buildSelfSigned();
    pem("ca", certificate.getRootCertificatePEM());
    Path chain = pem("chain", certificate.getCertificatePathPEM());
    Path key = pem("key", certificate.getPrivateKeyPEM());
    port = freePort();
    server =
        ConsulServer.start(
            "{\"ports\": {\"https\": "
                + port
                + "}, \"cert_file\": \""
                + chain
                + "\", \"key_file\": \""
                + key
                + "\"}");
  }

  @AfterAll
  static void stop() {
    server.close();
    TICKER.close();
  }

  @Test
  void a_trusted_certificate_is_accepted() {
    try (LockStore store = open("consuls://127.0.0.1:" + port + "?ca=" + directory + "/ca.pem")) {
      Claim claim = Ask.mutex(Ask.name());
      Ask.granted(store, claim);
      assertThat(Ask.leave(store, claim)).isEqualTo(Left.LEFT);
      assertThat(Ask.of(store.diagnose()).findings())
          .contains(Finding.ok("connections are encrypted, and the host's name is verified"));
    }
  }

  @Test
  void an_untrusted_certificate_is_one_clear_line() {
    assertThatThrownBy(() -> open("consuls://127.0.0.1:" + port))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("unable to find valid certification path")
        .hasMessageNotContaining("\n");
  }

  @Test
  void a_certificate_of_another_host_is_one_clear_line() {
    assertThatThrownBy(() -> open("consuls://localhost:" + port + "?ca=" + directory + "/ca.pem"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("localhost")
        .hasMessageNotContaining("\n");
  }

  private static LockStore open(String url) {
    return new ConsulProvider().open(url, new StoreSettings(TICKER, Duration.ofSeconds(3)));
  }

  private static Path pem(String name, String text) throws IOException {
    return Files.writeString(directory.resolve(name + ".pem"), text);
  }

  // Below the range of ephemeral ports.
  private static int freePort() {
    while (true) {
      int candidate = ThreadLocalRandom.current().nextInt(12_000, 30_000);
      try (ServerSocket socket = new ServerSocket(candidate, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (IOException taken) {
        Thread.onSpinWait();
      }
    }
  }
}
