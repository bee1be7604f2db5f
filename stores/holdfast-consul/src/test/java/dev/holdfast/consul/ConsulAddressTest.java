package dev.holdfast.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.spi.Credentials;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConsulAddressTest {

  @Test
  void hosts_may_come_with_a_port_or_without() {
    assertThat(ConsulAddress.parse("consul://one,two:18500,[::1]:4001").agents())
        .containsExactly("http://one:8500", "http://two:18500", "http://[::1]:4001");
    assertThat(ConsulAddress.parse("consuls://one").agents()).containsExactly("https://one:8501");
  }

  @Test
  void a_token_may_stand_in_the_url_and_is_overruled_by_what_is_given_beside_it() {
    ConsulAddress address = ConsulAddress.parse("consul://:s%40cret@host");

    assertThat(address.headers(Credentials.none())).isEqualTo(Map.of("X-Consul-Token", "s@cret"));
    assertThat(address.headers(new Credentials(null, "other")))
        .isEqualTo(Map.of("X-Consul-Token", "other"));
    assertThat(address.text()).doesNotContain("cret");
  }

  @Test
  void a_namespace_goes_with_every_request() {
    assertThat(ConsulAddress.parse("consul://host?namespace=team").headers(Credentials.none()))
        .isEqualTo(Map.of("X-Consul-Namespace", "team"));
  }

  @Test
  void parameters_have_defaults() {
    ConsulAddress plain = ConsulAddress.parse("consul://host");
    assertThat(plain.prefix()).isEqualTo("holdfast/");
    assertThat(plain.datacenter()).isEmpty();
    assertThat(plain.minTtl()).isEqualTo(Duration.ofSeconds(10));

    ConsulAddress given =
        ConsulAddress.parse("consul://host/?prefix=app/locks/&datacenter=dc2&min-ttl=2s");
    assertThat(given.prefix()).isEqualTo("app/locks/");
    assertThat(given.datacenter()).isEqualTo("dc2");
    assertThat(given.minTtl()).isEqualTo(Duration.ofSeconds(2));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "consul:",
        "consul://",
        "consul://host:0",
        "consul://host:70000",
        "consul://ho st",
        "consul://host,,other",
        "consul://user@host",
        "consul://host?colour=red",
        "consul://host?prefix=",
        "consul://host?prefix=/",
        "consul://host?prefix=a//",
        "consul://host?prefix=../",
        "consul://host?prefix=app",
        "consul://host?datacenter=a%26b",
        "consul://host?namespace=a%0Ab",
        "consul://host?min-ttl=1m",
        "consul://host?ca=file",
        "consuls://host?ca=/does/not/exist",
        "consuls://host/path"
      })
  void what_is_malformed_is_refused_before_anything_is_opened(String url) {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> {
              ConsulAddress address = ConsulAddress.parse(url);
              address.prefix();
              address.datacenter();
              address.minTtl();
              address.headers(Credentials.none());
              address.tls();
            })
        .withMessageNotContaining("null");
  }

  /** As it comes from a file that ends with a line break. */
  @ParameterizedTest
  @ValueSource(strings = {"geheim\n", "geheim\r", "geheim\u0000", "geheim\u007f", "geheim\u20ac"})
  void a_token_that_a_header_cannot_carry_is_refused_but_not_shown(String token) {
    ConsulAddress address = ConsulAddress.parse("consul://host");

    assertThatIllegalArgumentException()
        .isThrownBy(() -> address.headers(new Credentials(null, token)))
        .withMessageContaining("token")
        .withMessageNotContaining("geheim")
        .withNoCause();
  }

  @ParameterizedTest
  @ValueSource(strings = {"consul://:geheim%0A@host", "consul://:geheim%zz@host"})
  void a_malformed_token_in_the_url_is_not_shown(String url) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ConsulAddress.parse(url).headers(Credentials.none()))
        .withMessageContaining("token")
        .withMessageNotContaining("geheim")
        .withMessageNotContaining("zz")
        .withNoCause();
  }
}
