package dev.holdfast.redis.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.support.StoreUrl.Host;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RedisAddressTest {

  @Test
  void the_shortest_url_means_the_usual_port_and_database() {
    RedisAddress address = parse("redis://cache-1");

    assertThat(address.nodes()).containsExactly(new Host("cache-1", 6379));
    assertThat(address.database()).isZero();
    assertThat(address.login().user()).isNull();
    assertThat(address.login().password()).isNull();
    assertThat(address.isTls()).isFalse();
    assertThat(address.prefix()).isEqualTo("holdfast:");
    assertThat(address.waitForReplicas()).isZero();
  }

  @Test
  void everything_can_be_said_in_a_url() {
    RedisAddress address =
        parse("rediss://app:p%40ss:w%2Frd@cache-1:6380/3?prefix=app1:&wait-for-replicas=2");

    assertThat(address.nodes()).containsExactly(new Host("cache-1", 6380));
    assertThat(address.login().user()).isEqualTo("app");
    assertThat(address.login().password()).isEqualTo("p@ss:w/rd");
    assertThat(address.database()).isEqualTo(3);
    assertThat(address.isTls()).isTrue();
    assertThat(address.prefix()).isEqualTo("app1:");
    assertThat(address.waitForReplicas()).isEqualTo(2);
    assertThat(address)
        .hasToString("rediss://app:***@cache-1:6380/3?prefix=app1:&wait-for-replicas=2");
  }

  @Test
  void sentinels_have_their_own_port_and_name_their_master() {
    RedisAddress address =
        parse("redis-sentinel://s1,s2:26380/main/2?tls=true&sentinel-password=xyz");

    assertThat(address.nodes()).containsExactly(new Host("s1", 26379), new Host("s2", 26380));
    assertThat(address.master()).isEqualTo("main");
    assertThat(address.database()).isEqualTo(2);
    assertThat(address.sentinelLogin().password()).isEqualTo("xyz");
    assertThat(parse("redis-sentinel://s1/main").database()).isZero();
    assertThat(address.isTls()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "redis://h/db                         | the database must be a number",
        "redis://h/-1                         | the database must be a number",
        "redis://h/0/1                        | only parameters may follow the database",
        "redis://h1,h2                        | several hosts need redis-sentinel://",
        "redis-cluster://h1:6379,h1           | the host h1:6379 is given twice",
        "redis-cluster://h1/1                 | a Cluster has only database 0, not 1",
        "redis-cluster://h1?wait-for-replicas=1 | is not supported by redis-cluster://",
        "redlock://h1,h2                      | an odd number of servers",
        "redis-sentinel://h1                  | the name of the master is missing",
        "redis-sentinel://h1/                 | the name of the master is missing",
        "redis-sentinel://h1/ma%3Fin          | the name of a master may have only letters",
        "redis-sentinel://h1/main/x           | the database must be a number",
        "redis-sentinel://h1/m?sentinel-user=u | needs 'sentinel-password'",
        "redis://app@h                        | a password alone is written :password@",
        "redis://h?sentinel-password=m        | need redis-sentinel://",
        "redis://h?timeout=5                  | unknown parameter 'timeout'; there are ca, cert, key",
        "redis://h?tls=maybe                  | 'tls' must be true or false",
        "redis://h?ca=x                       | 'ca' needs TLS: write rediss://",
        "redis-cluster://h?ca=x               | 'ca' needs TLS: add tls=true",
        "rediss://h?cert=c.pem                | 'cert' and 'key' go together",
        "rediss://h?ca=/nowhere               | the file of 'ca' cannot be read",
        "redis://h?prefix={x}                 | prefix '{x}' must be",
        "redis://h?prefix=a%20b               | prefix 'a b' must be",
        "redis://h?wait-for-replicas=many     | 'wait-for-replicas' must be a number from 0 to 100",
        "redis://h?waitForReplicas=1          | the parameter 'waitForReplicas' is written 'wait-for-replicas'",
        "redis://h?sentinelUser=u             | is written 'sentinel-user'",
        "redis://h?sentinelPassword=x         | is written 'sentinel-password'",
        "rediss://h?keyPassword=x             | is written 'key-password'",
      })
  void what_is_wrong_is_said_in_one_line(String url, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> parse(url))
        .withMessageStartingWith("malformed store URL '")
        .withMessageContaining(message)
        .withMessageNotContaining("\n");
  }

  private static RedisAddress parse(String url) {
    return RedisAddress.parse(url, Credentials.none());
  }
}
