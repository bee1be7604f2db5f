package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.spi.Credentials;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EtcdAddressTest {

  @Test
  void hosts_may_come_with_a_port_or_without() {
    EtcdAddress address = parse("etcd://one,two:12379,[::1]:4001");

    assertThat(address.hosts()).containsExactly("one:2379", "two:12379", "[::1]:4001");
    assertThat(address.isTls()).isFalse();
    assertThat(EtcdProvider.options(address.url())).isEqualTo(EtcdOptions.defaults());
  }

  @Test
  void a_user_may_stand_in_the_url_and_is_overruled_by_what_is_given_beside_it() {
    String url = "etcd://ann:s%40cret@host";

    assertThat(parse(url).login().password()).isEqualTo("s@cret");
    assertThat(EtcdAddress.parse(url, new Credentials("bob", "other")).login().user())
        .isEqualTo("bob");
    assertThat(parse(url).url().toString()).doesNotContain("cret");
  }

  @Test
  void a_prefix_keeps_applications_apart() {
    assertThat(EtcdProvider.options(parse("etcd://host/?prefix=app1/").url()).prefix())
        .isEqualTo("app1/");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "etcd://host?colour=red       | unknown parameter 'colour'; there are ca, cert, key, key-password, prefix",
        "etcd://host?prefix=          | prefix '' must be 1 to 64",
        "etcd://host?ca=file          | 'ca' needs TLS: write etcds://",
        "etcds://host?cert=file       | 'cert' and 'key' go together",
        "etcds://host?ca=/nowhere     | the file of 'ca' cannot be read",
        "etcds://host/path            | nothing but parameters may follow the hosts",
        "etcd://ann@host              | a user has no password",
        "etcd://:secret@host          | a user and a password go together",
      })
  void what_is_wrong_is_said_before_anything_is_opened(String url, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EtcdProvider.options(parse(url).url()))
        .withMessageStartingWith("malformed store URL '")
        .withMessageContaining(message);
  }

  private static EtcdAddress parse(String url) {
    return EtcdAddress.parse(url, Credentials.none());
  }
}
