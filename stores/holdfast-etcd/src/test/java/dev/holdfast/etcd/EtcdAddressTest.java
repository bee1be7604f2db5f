package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.spi.Credentials;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EtcdAddressTest {

  @Test
  void hosts_may_come_with_a_port_or_without() {
    EtcdAddress address = EtcdAddress.parse("etcd://one,two:12379,[::1]:4001");

    assertThat(address.hosts()).containsExactly("one:2379", "two:12379", "[::1]:4001");
    assertThat(address.tls()).isFalse();
    assertThat(address.options()).isEqualTo(EtcdOptions.defaults());
  }

  @Test
  void a_user_may_stand_in_the_url_and_is_overruled_by_what_is_given_beside_it() {
    EtcdAddress address = EtcdAddress.parse("etcd://ann:s%40cret@host");

    assertThat(address.credentials(Credentials.none()).password()).isEqualTo("s@cret");
    assertThat(address.credentials(new Credentials("bob", "other")).user()).isEqualTo("bob");
    assertThat(address.text()).doesNotContain("cret");
  }

  @Test
  void a_prefix_keeps_applications_apart() {
    assertThat(EtcdAddress.parse("etcd://host/?prefix=app1/").options().prefix())
        .isEqualTo("app1/");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "etcd:",
        "etcd://",
        "etcd://host:0",
        "etcd://host:70000",
        "etcd://ho st",
        "etcd://host,,other",
        "etcd://host?colour=red",
        "etcd://host?prefix=",
        "etcd://host?ca=file",
        "etcds://host?cert=file",
        "etcds://host/path"
      })
  void what_is_malformed_is_refused_before_anything_is_opened(String url) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EtcdAddress.parse(url).options())
        .withMessageNotContaining("null");
  }
}
