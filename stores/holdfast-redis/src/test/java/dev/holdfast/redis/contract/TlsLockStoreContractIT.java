package dev.holdfast.redis.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.Finding;
import dev.holdfast.StoreException;
import dev.holdfast.redis.RedisFixture;
import dev.holdfast.redis.TestCertificate;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.RedisServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.LockStore;
import dev.holdfast.testkit.LockStoreContract;
import dev.holdfast.testkit.StoreFixture;
import dev.holdfast.testkit.store.Ask;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that asks its clients for certificates. */
@NeedsServer(value = Server.REDIS, ofItsOwn = true)
class TlsLockStoreContractIT extends LockStoreContract {

  @TempDir static Path directory;

  private static RedisServer server;
  private static TestCertificate ofServer;
  private static TestCertificate ofClient;
  private static int port;

  @BeforeAll
  static void start() throws Exception {
    ofServer = TestCertificate.make(directory, "server");
    ofClient = TestCertificate.make(directory, "client");
    server =
        RedisServer.start(
            "tls-cert-file " + ofServer.cert(),
            "tls-key-file " + ofServer.key(),
            "tls-ca-cert-file " + ofClient.cert(),
            "tls-auth-clients yes");
    port = TestCertificate.listen(server);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Override
  protected StoreFixture fixture() {
    return new RedisFixture(url("ca=" + ofServer.cert() + "&" + client()));
  }

  @Test
  void the_doctor_says_that_connections_are_encrypted() {
    try (RedisFixture fixture = new RedisFixture(url("ca=" + ofServer.cert() + "&" + client()));
        LockStore store = fixture.open()) {
      assertThat(Ask.of(store.diagnose()).findings())
          .contains(Finding.ok("connections are encrypted, and the host's name is verified"));
    }
  }

  @Test
  void a_server_without_a_trusted_certificate_is_refused() {
    refused(url(client()));
    refused(url("ca=" + ofClient.cert() + "&" + client()));
  }

  @Test
  void a_client_without_a_certificate_is_refused() {
    refused(url("ca=" + ofServer.cert()));
  }

  @Test
  void a_certificate_for_another_name_is_refused() {
    String url = url("ca=" + ofServer.cert() + "&" + client());
    refused(url.replace("127.0.0.1", "localhost"));
  }

  private static void refused(String url) {
    try (RedisFixture fixture = new RedisFixture(url)) {
      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(fixture::open)
          .withMessageContaining("Cannot use rediss://")
          .withMessageNotContaining("\n");
    }
  }

  private static String client() {
    return "cert=" + ofClient.cert() + "&key=" + ofClient.key();
  }

  private static String url(String parameters) {
    return "rediss://127.0.0.1:" + port + "?" + parameters;
  }
}
