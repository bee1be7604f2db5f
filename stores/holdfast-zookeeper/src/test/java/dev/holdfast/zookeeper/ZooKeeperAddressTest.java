package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.spi.Credentials;
import java.time.Duration;
import org.apache.zookeeper.ZooDefs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ZooKeeperAddressTest {

  @Test
  void a_url_is_taken_apart() {
    ZooKeeperAddress address = parse("zookeeper://h1:2181,h2/app/locks?session-timeout=1500ms");

    assertThat(address.connectString()).isEqualTo("h1:2181,h2:2181/app/locks");
    assertThat(address.chroot()).isEqualTo("/app/locks");
    assertThat(address.sessionTimeout()).isEqualTo(Duration.ofMillis(1500));
    assertThat(address.acl()).isEqualTo(ZooDefs.Ids.OPEN_ACL_UNSAFE);
  }

  @Test
  void what_is_left_out_has_a_default() {
    ZooKeeperAddress address = parse("zookeeper://h1/");

    assertThat(address.connectString()).isEqualTo("h1:2181");
    assertThat(address.sessionTimeout()).isEqualTo(Duration.ofSeconds(40));
  }

  @Test
  void a_login_protects_the_nodes_and_no_text_shows_the_password() {
    ZooKeeperAddress address = parse("zookeeper://ann:se%40cret@h1");

    assertThat(address.acl()).isEqualTo(ZooDefs.Ids.CREATOR_ALL_ACL);
    assertThat(address.connectString()).isEqualTo("h1:2181");
    assertThat(address).asString().doesNotContain("cret");
  }

  @Test
  void the_acl_can_be_chosen() {
    assertThat(parse("zookeeper://h1?acl=creator").acl()).isEqualTo(ZooDefs.Ids.CREATOR_ALL_ACL);
    assertThat(parse("zookeeper://ann:x@h1?session-timeout=9s&acl=open").acl())
        .isEqualTo(ZooDefs.Ids.OPEN_ACL_UNSAFE);
  }

  @Test
  void tls_is_asked_for_by_the_scheme() {
    assertThat(parse("zookeepers://h1").isSecure()).isTrue();
    assertThat(parse("zookeeper://h1").isSecure()).isFalse();
  }

  @Test
  void credentials_beside_the_url_count_first() {
    Credentials beside = new Credentials("ann", "secret");

    assertThat(ZooKeeperAddress.parse("zookeeper://h1", beside).acl())
        .isEqualTo(ZooDefs.Ids.CREATOR_ALL_ACL);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "zookeeper://h1/a//b                 | the path has an empty part",
        "zookeeper://h1?timeout=3s           | unknown parameter 'timeout'; there are acl, ca, identity, session-timeout",
        "zookeeper://h1?sessionTimeout=3s    | is written 'session-timeout'",
        "zookeeper://h1?acl=mine             | 'acl' must be creator or open",
        "zookeeper://h1?ca=/nowhere          | 'ca' needs TLS: write zookeepers://",
        "zookeeper://h1?identity=/nowhere    | 'identity' needs TLS: write zookeepers://",
        "zookeepers://h1?ca=/nowhere         | the file of 'ca' cannot be read",
        "zookeepers://h1?identity=/nowhere   | the file of 'identity' cannot be read",
        "zookeeper://h1?session-timeout=3    | 'session-timeout' must look like",
        "zookeeper://h1?session-timeout=1ms  | 'session-timeout' must be from 100 ms",
        "zookeeper://ann@h1                  | a user has no password",
        "zookeeper://:secret@h1              | a user and a password go together",
      })
  void what_is_wrong_is_said(String url, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> parse(url))
        .withMessageStartingWith("malformed store URL '")
        .withMessageContaining(message);
  }

  private static ZooKeeperAddress parse(String url) {
    return ZooKeeperAddress.parse(url, Credentials.none());
  }
}
