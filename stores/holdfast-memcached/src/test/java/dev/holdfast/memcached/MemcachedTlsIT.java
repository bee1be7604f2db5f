package dev.holdfast.memcached;

import static dev.holdfast.memcached.MemcachedScene.claim;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Finding;
import dev.holdfast.StoreException;
import dev.holdfast.servers.MemcachedServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.Granted;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers that speak TLS, and those that do not. */
@NeedsServer(value = Server.MEMCACHED, ofItsOwn = true)
class MemcachedTlsIT {

  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  @TempDir Path directory;

  @Test
  void a_trusted_certificate_is_accepted() throws Exception {
    X509Bundle certificate = certificate("127.0.0.1");
    try (MemcachedServer server = start(certificate);
        MemcachedScene store = new MemcachedScene(url(server, certificate))) {
      assertThat(store.join(claim("one"))).isInstanceOf(Granted.class);
      assertThat(store.store().diagnose().toCompletableFuture().join().findings())
          .contains(Finding.ok("connections are encrypted, and the host's name is verified"));
      assertThat(store.store().toString()).isEqualTo(url(server, certificate));
    }
  }

  @Test
  void a_certificate_that_nobody_trusts_is_one_clear_line() throws Exception {
    try (MemcachedServer server = start(certificate("127.0.0.1"))) {
      assertRefused(
          "memcacheds://127.0.0.1:" + server.port(), "unable to find valid certification");
    }
  }

  @Test
  void a_certificate_of_another_host_is_one_clear_line() throws Exception {
    X509Bundle certificate = certificate("127.0.0.2");
    try (MemcachedServer server = start(certificate)) {
      assertRefused(url(server, certificate), "127.0.0.1");
    }
  }

  @Test
  void tls_to_a_plain_server_is_one_clear_line() {
    try (MemcachedServer server = MemcachedServer.start()) {
      assertRefused("memcacheds://127.0.0.1:" + server.port(), "127.0.0.1:" + server.port());
    }
  }

  @Test
  void plain_words_to_a_tls_server_are_one_clear_line() throws Exception {
    try (MemcachedServer server = start(certificate("127.0.0.1"))) {
      assertRefused(server.url(), "127.0.0.1:" + server.port());
    }
  }

  @Test
  void certificates_that_cannot_be_read_are_named() throws Exception {
    Path nothing = Files.writeString(directory.resolve("nothing.pem"), "no certificate");
    assertRefused("memcacheds://a?ca=" + nothing, "no certificates in " + nothing);
  }

  private static void assertRefused(String url, String message) {
    assertThatThrownBy(() -> new MemcachedScene(url, TIMEOUT, Credentials.none()))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(message)
        .message()
        .doesNotContain("\n");
  }

  private MemcachedServer start(X509Bundle certificate) throws Exception {
    File chain = pem("chain.pem", certificate.getCertificatePathPEM());
    File key = pem("key.pem", certificate.getPrivateKeyPEM());
    return MemcachedServer.start("-Z", "-o", "ssl_chain_cert=" + chain + ",ssl_key=" + key);
  }

  private String url(MemcachedServer server, X509Bundle certificate) throws Exception {
    File ca = pem("ca.pem", certificate.getRootCertificatePEM());
    return "memcacheds://127.0.0.1:" + server.port() + "?ca=" + ca;
  }

  private File pem(String name, String text) throws Exception {
    return Files.writeString(directory.resolve(name), text).toFile();
  }

  private static X509Bundle certificate(String address) throws Exception {
    return new CertificateBuilder()
        .subject("CN=memcached test")
        .addSanIpAddress(address)
        .setIsCertificateAuthority(true)
        .buildSelfSigned();
  }
}
