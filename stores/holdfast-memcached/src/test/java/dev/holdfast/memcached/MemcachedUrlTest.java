package dev.holdfast.memcached;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MemcachedUrlTest {

  @Test
  void a_host_is_enough() {
    MemcachedUrl url = MemcachedUrl.parse("memcached://cache-1");

    assertThat(url.servers()).containsExactly(new Address("cache-1", 11211));
    assertThat(url.tls()).isFalse();
    assertThat(url.prefix()).isEqualTo("holdfast:");
    assertThat(url.credentials().user()).isNull();
    assertThat(url).hasToString("memcached://cache-1:11211");
  }

  @Test
  void everything_can_be_said() {
    MemcachedUrl url =
        MemcachedUrl.parse("memcacheds://al:p%40ss:w+rd@h1:1,[::1]:2,h3?prefix=app%2F&ca=/c.pem");

    assertThat(url.servers())
        .containsExactly(new Address("h1", 1), new Address("::1", 2), new Address("h3", 11211));
    assertThat(url.tls()).isTrue();
    assertThat(url.ca()).isEqualTo("/c.pem");
    assertThat(url.prefix()).isEqualTo("app/");
    assertThat(url.credentials().user()).isEqualTo("al");
    assertThat(url.credentials().password()).isEqualTo("p@ss:w+rd");
    assertThat(url).hasToString("memcacheds://h1:1,[::1]:2,h3:11211");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "memcached:cache-1            | it must start with memcached://",
        "memcached://                 | '' is no server",
        "memcached://a,               | '' is no server",
        "memcached://a:0              | 'a:0' has no port between 1 and 65535",
        "memcached://a:x              | 'a:x' has no port between 1 and 65535",
        "memcached://a:70000          | 'a:70000' has no port between 1 and 65535",
        "memcached://a/0              | 'a/0' is no server",
        "memcached://a,b,a:11211      | a:11211 is named twice",
        "memcached://alice@a          | before the @ there must be USER:PASSWORD",
        "memcached://a?color=red      | unknown parameter 'color'; there are prefix, ca",
        "memcached://a?prefix         | unknown parameter 'prefix'; there are prefix, ca",
        "memcached://a?prefix=x&prefix=y | parameter 'prefix' is given twice",
        "memcached://a?ca=/c.pem      | ca is for memcacheds://, which speaks TLS",
      })
  void what_is_wrong_is_said(String url, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MemcachedUrl.parse(url))
        .withMessageContaining(message)
        .withMessageNotContaining("\n");
  }

  @Test
  void a_message_never_has_the_password() {
    for (String wrong : new String[] {"a:x", "", "a?color=red"}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> MemcachedUrl.parse("memcached://alice:s3cret@" + wrong))
          .withMessageContaining("alice:***@")
          .withMessageNotContaining("s3cret");
    }
    assertThat(MemcachedUrl.parse("memcached://alice:s3cret@a").toString())
        .doesNotContain("s3cret");
  }

  @Test
  void a_prefix_that_memcached_would_not_take_is_refused() {
    for (String prefix : new String[] {"with space", "tab\t", "ümlaut", "x".repeat(101)}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new Keys(prefix))
          .withMessageContaining("prefix");
    }
  }
}
