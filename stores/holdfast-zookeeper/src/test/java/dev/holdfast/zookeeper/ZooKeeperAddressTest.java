package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.spi.Credentials;
import java.time.Duration;
import org.apache.zookeeper.ZooDefs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ZooKeeperAddressTest {

  @Test
  void a_url_is_taken_apart() {
    ZooKeeperAddress address = parse("zookeeper://h1:2181,h2/app/locks?sessionTimeout=1500ms");

    assertThat(address.connectString()).isEqualTo("h1:2181,h2/app/locks");
    assertThat(address.chroot()).isEqualTo("/app/locks");
    assertThat(address.sessionTimeout()).isEqualTo(Duration.ofMillis(1500));
    assertThat(address.acl()).isEqualTo(ZooDefs.Ids.OPEN_ACL_UNSAFE);
  }

  @Test
  void what_is_left_out_has_a_default() {
    ZooKeeperAddress address = parse("zookeeper://h1/");

    assertThat(address.connectString()).isEqualTo("h1");
    assertThat(address.sessionTimeout()).isEqualTo(Duration.ofSeconds(40));
  }

  @Test
  void who_logs_in_keeps_its_nodes_to_itself_and_no_text_shows_the_password() {
    ZooKeeperAddress address = parse("zookeeper://ann:se%40cret@h1");

    assertThat(address.acl()).isEqualTo(ZooDefs.Ids.CREATOR_ALL_ACL);
    assertThat(address.connectString()).isEqualTo("h1");
    assertThat(address).asString().doesNotContain("cret");
  }

  @Test
  void who_may_read_and_write_can_be_said() {
    assertThat(parse("zookeeper://h1?acl=creator").acl()).isEqualTo(ZooDefs.Ids.CREATOR_ALL_ACL);
    assertThat(parse("zookeeper://ann:x@h1?sessionTimeout=9s&acl=open").acl())
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
  @ValueSource(
      strings = {
        "zookeeper:h1",
        "zookeeper://",
        "zookeeper://h1,,h2",
        "zookeeper://h1:port",
        "zookeeper://h1/a//b",
        "zookeeper://h1/a/",
        "zookeeper://h1?timeout=3s",
        "zookeeper://h1?acl=mine",
        "zookeeper://h1?ca=/nowhere",
        "zookeepers://h1?ca=/nowhere",
        "zookeeper://h1?sessionTimeout",
        "zookeeper://h1?sessionTimeout=3",
        "zookeeper://h1?sessionTimeout=1ms",
        "zookeeper://ann@h1",
        "zookeeper://ann:%zz@h1"
      })
  void a_malformed_url_is_refused_with_an_example(String url) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> parse(url))
        .withMessageContaining("zookeeper://host1:2181");
  }

  private static ZooKeeperAddress parse(String url) {
    return ZooKeeperAddress.parse(url, Credentials.none());
  }
}
