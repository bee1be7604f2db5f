package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.redis.RedisAddress.Node;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RedisAddressTest {

  @Test
  void the_shortest_url_means_the_usual_port_and_database() {
    RedisAddress address = RedisAddress.parse("redis://cache-1");

    assertThat(address.nodes()).containsExactly(new Node("cache-1", 6379));
    assertThat(address.database()).isZero();
    assertThat(address.user()).isNull();
    assertThat(address.password()).isNull();
    assertThat(address.isTls()).isFalse();
    assertThat(address.options()).isEqualTo(RedisOptions.defaults());
  }

  @Test
  void everything_can_be_said_in_a_url() {
    RedisAddress address =
        RedisAddress.parse(
            "rediss://app:p%40ss:w/rd@cache-1:6380/3?prefix=app1:&waitForReplicas=2");

    assertThat(address.nodes()).containsExactly(new Node("cache-1", 6380));
    assertThat(address.user()).isEqualTo("app");
    assertThat(address.password()).isEqualTo("p@ss:w/rd");
    assertThat(address.database()).isEqualTo(3);
    assertThat(address.isTls()).isTrue();
    assertThat(address.options()).isEqualTo(new RedisOptions("app1:", 2));
  }

  @Test
  void a_password_may_stand_alone_and_keeps_its_plus() {
    assertThat(RedisAddress.parse("redis://a+b@h").password()).isEqualTo("a+b");
    assertThat(RedisAddress.parse("redis://a+b@h").user()).isNull();
    assertThat(RedisAddress.parse("redis://:secret@h").password()).isEqualTo("secret");
    assertThat(RedisAddress.parse("redis://:secret@h").user()).isNull();
  }

  @Test
  void an_ipv6_address_stands_in_brackets() {
    assertThat(RedisAddress.parse("redis://[::1]").nodes()).containsExactly(new Node("::1", 6379));
    assertThat(RedisAddress.parse("redis://[::1]:1234").nodes())
        .containsExactly(new Node("::1", 1234));
  }

  @Test
  void sentinels_have_a_port_of_their_own_and_name_their_master() {
    RedisAddress address =
        RedisAddress.parse("redis-sentinel://s1,s2:26380/main/2?tls=true&sentinelPassword=x");

    assertThat(address.nodes()).containsExactly(new Node("s1", 26379), new Node("s2", 26380));
    assertThat(address.master()).isEqualTo("main");
    assertThat(address.database()).isEqualTo(2);
    assertThat(RedisAddress.parse("redis-sentinel://s1/main").database()).isZero();
    assertThat(address.isTls()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "redis:cache                          | after the scheme comes //",
        "redis://                             | a host or its port is missing",
        "redis://:6379                        | a host or its port is missing",
        "redis://h:port                       | port 'port' is not a number from 0 to 65535",
        "redis://h:70000                      | port '70000' is not a number",
        "redis://h/db                         | database 'db' is not a number",
        "redis://h/-1                         | database '-1' is not a number",
        "redis://h1,h2                        | several hosts go with redis-sentinel://",
        "redis-cluster://h1,h1                | a host is given twice",
        "redis-cluster://h1:6379,h1           | a host is given twice",
        "redis-cluster://h1/1                 | a Cluster has no database 1",
        "redis-cluster://h1?waitForReplicas=1 | does not go with redis-cluster://",
        "redis-sentinel://h1                  | asked for a master",
        "redis-sentinel://h1/                 | asked for a master",
        "redis-sentinel://h1/main/x           | database 'x' is not a number",
        "redis://h/main                       | database 'main' is not a number",
        "redis://h?sentinelPassword=m         | go with redis-sentinel://",
        "redis://h?timeout=5                  | 'timeout' is not one of ca, cert, key",
        "redis://h?prefix                     | with a value",
        "redis://h?prefix=a&prefix=b          | 'prefix' is given twice",
        "redis://h?tls=maybe                  | 'tls' is true or false",
        "rediss://h?cert=c.pem                | 'cert' and 'key' go together",
        "redis://a:%zz@h                      | two hexadecimal digits",
      })
  void what_is_wrong_is_said_in_one_line(String url, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RedisAddress.parse(url).options())
        .withMessageContaining(message)
        .withMessageNotContaining("\n");
  }

  @ParameterizedTest
  @CsvSource({"redis://h?prefix={x}", "redis://h?prefix=a%20b", "redis://h?waitForReplicas=many"})
  void options_that_make_no_sense_are_refused(String url) {
    assertThatIllegalArgumentException().isThrownBy(() -> RedisAddress.parse(url).options());
  }

  @ParameterizedTest
  @CsvSource({
    "redis://app:CANARY@h:port",
    "redis://CANARY@h:port",
    "redis://app:CANARY@h/0?nonsense=1",
    "redis-sentinel://app:CANARY@h/?sentinelPassword=CANARY",
    "rediss://h?keyPassword=CANARY&nonsense=1",
  })
  void no_message_shows_a_password(String url) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RedisAddress.parse(url))
        .withMessageNotContaining("CANARY");
    assertThat(RedisAddress.parse("redis://app:CANARY@h").toString()).doesNotContain("CANARY");
  }
}
