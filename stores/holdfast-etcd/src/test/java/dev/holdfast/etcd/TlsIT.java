package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.Finding;
import dev.holdfast.StoreException;
import dev.holdfast.servers.EtcdServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.store.Ask;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that asks its clients for certificates. */
@NeedsServer(value = Server.ETCD, ofItsOwn = true)
class TlsIT {

  private static final Duration REFUSAL = Duration.ofSeconds(3);

  /** Long enough for a handshake on a slow machine, so that the reason is known. */
  private static final Duration REASON = Duration.ofSeconds(15);

  @TempDir static Path directory;

  private static EtcdServer server;
  private static Certificate ofServer;
  private static Certificate ofClient;

  private final Ticker ticker = Ticker.system("tls-it");

  @BeforeAll
  static void start() throws Exception {
    ofServer = Certificate.make("server");
    ofClient = Certificate.make("client");
    server = EtcdServer.startTls(ofServer.cert(), ofServer.key(), ofClient.cert());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @AfterEach
  void close() {
    ticker.close();
  }

  @Test
  void with_both_certificates_a_lock_is_taken_waited_for_and_handed_on() {
    String url = url("ca=" + ofServer.cert() + "&" + client());
    try (LockStore store = open(url, Duration.ofSeconds(20))) {
      AtomicInteger hints = new AtomicInteger();
      store.observe("lock", hints::incrementAndGet);
      Claim claim = Ask.mutex("lock");
      Ask.granted(store, claim);
      Claim next = Ask.mutex("lock");
      assertThat(Ask.queue(store, next)).isInstanceOf(Queued.class);

      assertThat(Ask.leave(store, claim)).isEqualTo(Left.LEFT);

      Awaitility.await().until(() -> hints.get() > 0);
      assertThat(Ask.refresh(store, next)).isInstanceOf(Granted.class);
      assertThat(Ask.of(store.diagnose()).findings())
          .contains(Finding.ok("connections are encrypted, and the host's name is verified"));
    }
  }

  @Test
  void an_untrusted_server_is_refused() {
    refused(url(client()), "unable to find valid certification path to requested target");
    refused(url("ca=" + ofClient.cert() + "&" + client()), "");
  }

  @Test
  void a_client_without_a_certificate_is_refused() {
    refused(url("ca=" + ofServer.cert()), "");
  }

  @Test
  void a_certificate_for_another_name_is_refused() {
    String url = url("ca=" + ofServer.cert() + "&" + client());
    refused(url.replace("127.0.0.1", "localhost"), "localhost");
  }

  @Test
  void plain_words_to_a_tls_server_are_refused() {
    refused(server.url().replace("etcds:", "etcd:"), "");
  }

  @Test
  void a_file_that_cannot_be_read_is_named() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> open(url("ca=" + directory.resolve("none")), REFUSAL))
        .withMessageContaining("none");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> open(url("ca=" + ofServer.key()), REFUSAL))
        .withMessageContaining("server.key");
  }

  private void refused(String url, String why) {
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> open(url, why.isEmpty() ? REFUSAL : REASON))
        .withMessageStartingWith("Cannot use etcd")
        .withMessageContaining(why)
        .withMessageNotContaining("\n");
  }

  private LockStore open(String url, Duration timeout) {
    return new EtcdProvider().open(url, new StoreSettings(ticker, timeout));
  }

  private static String client() {
    return "cert=" + ofClient.cert() + "&key=" + ofClient.key();
  }

  private static String url(String parameters) {
    return server.url() + "?" + parameters;
  }

  /** One that vouches for itself, and its key, in PEM files. */
  private record Certificate(Path cert, Path key) {

    static Certificate make(String name) throws Exception {
      X509Bundle bundle =
          new CertificateBuilder()
              .subject("CN=" + name)
              .addSanIpAddress("127.0.0.1")
              .setIsCertificateAuthority(true)
              .buildSelfSigned();
      return new Certificate(
          Files.writeString(directory.resolve(name + ".crt"), bundle.getCertificatePathPEM()),
          Files.writeString(directory.resolve(name + ".key"), bundle.getPrivateKeyPEM()));
    }
  }
}
