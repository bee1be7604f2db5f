package dev.holdfast.spi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Finding;
import dev.holdfast.Finding.Severity;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EncryptionTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost",
        "LOCALHOST:6379",
        "app.localhost",
        "127.0.0.1",
        "127.1.2.3:2379",
        "::1",
        "[::1]",
        "[::1]:6379",
        "0:0:0:0:0:0:0:1"
      })
  void what_does_not_leave_this_host_needs_no_encryption(String host) {
    for (Encryption encryption : Encryption.values()) {
      Finding finding = encryption.finding(List.of(host, "localhost"), "use TLS");
      assertThat(finding.severity()).as(finding.message()).isEqualTo(Severity.OK);
      assertThat(finding.message().contains("loopback"))
          .isEqualTo(encryption != Encryption.VERIFIED);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "db-1",
        "10.0.0.1:5432",
        "localhost.example.org",
        "128.0.0.1",
        "127.0.0.1.example.org",
        "::2",
        "[2001:db8::1]:6379",
        "[fe80::1",
        "1"
      })
  void what_leaves_it_needs_encryption_and_a_verified_name(String host) {
    List<String> hosts = List.of("localhost", host);
    assertThat(Encryption.NONE.finding(hosts, "use TLS"))
        .isEqualTo(
            Finding.warning(
                "connections are not encrypted: an attacker on the network can read passwords, and"
                    + " acquire and break locks; use TLS"));
    assertThat(Encryption.UNVERIFIED.finding(hosts, "use TLS").severity())
        .isEqualTo(Severity.WARNING);
    assertThat(Encryption.UNVERIFIED.finding(hosts, "use TLS").message())
        .contains("the host's name is not verified", "; use TLS");
    assertThat(Encryption.VERIFIED.finding(hosts, "use TLS").severity()).isEqualTo(Severity.OK);
  }

  @Test
  void a_store_with_tls_verifies_unless_it_says_otherwise() {
    assertThat(Encryption.of(true)).isEqualTo(Encryption.VERIFIED);
    assertThat(Encryption.of(false)).isEqualTo(Encryption.NONE);
  }
}
