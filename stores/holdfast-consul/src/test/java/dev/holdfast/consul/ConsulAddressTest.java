package dev.holdfast.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.spi.Credentials;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConsulAddressTest {

  @Test
  void hosts_may_have_a_port() {
    assertThat(parse("consul://one,two:18500,[::1]:4001").agents())
        .containsExactly("http://one:8500", "http://two:18500", "http://[::1]:4001");
    assertThat(parse("consuls://one").agents()).containsExactly("https://one:8501");
  }

  @Test
  void a_token_in_the_url_is_overridden_by_one_beside_it() {
    String url = "consul://:s%40cret@host";

    assertThat(parse(url).headers()).isEqualTo(Map.of("X-Consul-Token", "s@cret"));
    assertThat(ConsulAddress.parse(url, new Credentials(null, "other")).headers())
        .isEqualTo(Map.of("X-Consul-Token", "other"));
    assertThat(parse(url).toString()).doesNotContain("cret");
  }

  @Test
  void a_namespace_goes_with_every_request() {
    assertThat(parse("consul://host?namespace=team").headers())
        .isEqualTo(Map.of("X-Consul-Namespace", "team"));
  }

  @Test
  void parameters_have_defaults() {
    ConsulAddress plain = parse("consul://host");
    assertThat(plain.prefix()).isEqualTo("holdfast/");
    assertThat(plain.datacenter()).isEmpty();
    assertThat(plain.minTtl()).isEqualTo(Duration.ofSeconds(10));

    ConsulAddress given = parse("consul://host/?prefix=app/locks/&datacenter=dc2&min-ttl=2s");
    assertThat(given.prefix()).isEqualTo("app/locks/");
    assertThat(given.datacenter()).isEqualTo("dc2");
    assertThat(given.minTtl()).isEqualTo(Duration.ofSeconds(2));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "consul://user:token@host          | there are no users here; a token is written :token@",
        "consul://user@host                | a password alone is written :password@",
        "consul://host?colour=red          | unknown parameter 'colour'; there are ca, datacenter, min-ttl, namespace, prefix",
        "consul://host?minTtl=2s           | is written 'min-ttl'",
        "consul://host?prefix=             | 'prefix' must be names",
        "consul://host?prefix=/            | 'prefix' must be names",
        "consul://host?prefix=a//          | 'prefix' must be names",
        "consul://host?prefix=../          | 'prefix' must be names",
        "consul://host?prefix=app          | 'prefix' must be names",
        "consul://host?datacenter=a%26b    | 'datacenter' must be a name",
        "consul://host?namespace=a.b       | 'namespace' must be a name",
        "consul://host?min-ttl=2           | 'min-ttl' must look like",
        "consul://host?min-ttl=1500ms      | 'min-ttl' must be whole seconds",
        "consul://host?min-ttl=0s          | 'min-ttl' must be from 1000 ms",
        "consul://host?ca=file             | 'ca' needs TLS: write consuls://",
        "consuls://host?ca=/does/not/exist | the file of 'ca' cannot be read",
        "consuls://host/path               | nothing but parameters may follow the hosts",
      })
  void a_wrong_url_is_refused_before_anything_is_opened(String url, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> parse(url))
        .withMessageStartingWith("malformed store URL '")
        .withMessageContaining(message);
  }

  /** As read from a file that ends with a line break. */
  @ParameterizedTest
  @ValueSource(strings = {"geheim\n", "geheim\r", "geheim\u0000", "geheim\u007f", "geheim\u20ac"})
  void a_token_that_a_header_cannot_carry_is_refused_but_not_shown(String token) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ConsulAddress.parse("consul://host", new Credentials(null, token)))
        .withMessageContaining("token")
        .withMessageNotContaining("geheim")
        .withNoCause();
  }

  private static ConsulAddress parse(String url) {
    return ConsulAddress.parse(url, Credentials.none());
  }
}
