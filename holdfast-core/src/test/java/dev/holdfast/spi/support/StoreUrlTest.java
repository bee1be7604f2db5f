package dev.holdfast.spi.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.support.StoreUrl.Host;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StoreUrlTest {

  private static final Duration MINUTE = Duration.ofMinutes(1);

  @Test
  void a_host_is_enough() {
    StoreUrl url = StoreUrl.parse("redis://cache-1");

    assertThat(url.scheme()).isEqualTo("redis");
    assertThat(url.hosts(6379)).containsExactly(new Host("cache-1", 6379));
    assertThat(url.path()).isEmpty();
    assertThat(url.login(Credentials.none()).user()).isNull();
    assertThat(url.login(Credentials.none()).password()).isNull();
    assertThat(url.knowing().withoutPath()).hasToString("redis://cache-1");
  }

  @Test
  void everything_can_be_said() {
    StoreUrl url =
        StoreUrl.parse("a-b://%C3%A4nn:p%40ss:w+rd@h1:1,[::1]:2,h-3.x_y/a%2Fb/c?x-y=1%26%3D&z=");

    assertThat(url.scheme()).isEqualTo("a-b");
    assertThat(url.login(Credentials.none()).user()).isEqualTo("änn");
    assertThat(url.login(Credentials.none()).password()).isEqualTo("p@ss:w+rd");
    assertThat(url.hosts(9)).hasToString("[h1:1, [::1]:2, h-3.x_y:9]");
    assertThat(url.path()).containsExactly("a/b", "c");
    assertThat(url.value("x-y")).isEqualTo("1&=");
    assertThat(url.value("z")).isEmpty();
    assertThat(url.value("other")).isNull();
    assertThat(url.value("other", "else")).isEqualTo("else");
    assertThat(url.has("z")).isTrue();
    assertThat(url.has("other")).isFalse();
    assertThat(url).hasToString("a-b://%C3%A4nn:***@h1:1,[::1]:2,h-3.x_y/a%2Fb/c?x-y=1%26%3D&z=");
  }

  @Test
  void what_is_given_beside_the_url_counts_first() {
    StoreUrl url = StoreUrl.parse("etcd://ann:one@h");

    Credentials both = url.login(new Credentials("bob", "two"));
    assertThat(both.user()).isEqualTo("bob");
    assertThat(both.password()).isEqualTo("two");
    assertThat(url.login(new Credentials(null, "two")).user()).isEqualTo("ann");
    assertThat(url.login(new Credentials("bob", null)).password()).isEqualTo("one");
    assertThat(StoreUrl.parse("etcd://ann@h").login(new Credentials(null, "two")).user())
        .isEqualTo("ann");
  }

  @Test
  void a_password_may_stand_alone_where_the_server_knows_such() {
    StoreUrl url = StoreUrl.parse("redis://:one@h");

    assertThat(url.login(Credentials.none()).user()).isNull();
    assertThat(url.login(Credentials.none()).password()).isEqualTo("one");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> url.userAndPassword(Credentials.none()))
        .withMessageContaining("a user and a password go together");
    assertThat(StoreUrl.parse("redis://h").userAndPassword(Credentials.none()).user()).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"redis://ann@h", "redis://ann:@h"})
  void a_user_without_a_password_is_refused_and_not_shown_for_it_may_be_the_password(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> StoreUrl.parse(text).login(Credentials.none()))
        .withMessageContaining("a password alone is written :password@");
    assertThat(StoreUrl.parse("redis://ann@h")).hasToString("redis://***@h");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "::",
        "::1",
        "1::",
        "fe80::1:2",
        "1:2:3:4:5:6:7:8",
        "::ffff:1.2.3.4",
        "1:2:3:4:5:6:1.2.3.4",
        "2001:DB8::a",
        "1:2:3:4:5:6:7::"
      })
  void an_ipv6_address_stands_in_brackets(String address) {
    assertThat(StoreUrl.parse("redis://[" + address + "]:1234").hosts(1))
        .containsExactly(new Host(address, 1234));
    assertThat(StoreUrl.parse("redis://[" + address + "]").hosts(1))
        .containsExactly(new Host(address, 1));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ":",
        ":::",
        "1:2",
        "1:2:3:4:5:6:7:8:9",
        "1::2::3",
        "12345::",
        "::1.2.3",
        "::1.2.3.256",
        "1.2.3.4::",
        "1:2:3:4:5:6:7:1.2.3.4",
        "1:2:3:4:5:6:7:8::",
        "::1.2.3.4.",
        "1.2.3.4"
      })
  void what_is_no_ipv6_address_is_refused(String address) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> StoreUrl.parse("redis://[" + address + "]:1234"))
        .withMessageContaining("host 1 is not a valid");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "plain                   | it must look like scheme://host:port",
        "redis:                  | it must look like scheme://host:port",
        "redis:h                 | it must look like scheme://host:port",
        "redis:/h                | it must look like scheme://host:port",
        "REDIS://h               | it must look like scheme://host:port",
        "re_dis://h              | it must look like scheme://host:port",
        "jdbc:x://h              | it must look like scheme://host:port",
        "redis://                | host 1 is missing",
        "redis:///0              | host 1 is missing",
        "redis://a@              | host 1 is missing",
        "redis://h,              | host 2 is missing",
        "redis://h,,i            | host 2 is missing",
        "redis://:6379           | host 1 is not a valid host",
        "redis://h:              | host 1 is not a valid host",
        "redis://h:+1            | host 1 is not a valid host",
        "redis://h:port          | host 1 is not a valid host",
        "redis://h:123456        | host 1 is not a valid host",
        "redis://::1             | host 1 is not a valid host",
        "redis://::1:6379        | host 1 is not a valid host",
        "redis://[::1            | host 1 is not a valid host",
        "redis://h%41            | host 1 is not a valid host",
        "redis://hö              | host 1 is not a valid host",
        "redis://h;x             | host 1 is not a valid host",
        "redis://h:0             | the port of host 1 must be from 1 to 65535, not 0",
        "redis://g,h:65536       | the port of host 2 must be from 1 to 65535, not 65536",
        "redis://h h             | spaces and control characters",
        "redis://h\u00a0h        | spaces and control characters",
        "redis://h?a=b\tc        | spaces and control characters",
        "redis://h#x             | # has no meaning here",
        "redis://a:b@c@h         | only one @",
        "redis://a:b/c@h         | only one @",
        "redis://a:b?c@h         | only one @",
        "redis://h/a@b           | only one @",
        "redis://h?prefix=a@b    | only one @",
        "redis://a:%zz@h         | % must be followed by two hexadecimal digits",
        "redis://a:%4@h          | % must be followed by two hexadecimal digits",
        "redis://a:%@h           | % must be followed by two hexadecimal digits",
        "redis://a:%+4@h         | % must be followed by two hexadecimal digits",
        "redis://a:%C3@h         | the escapes are not UTF-8",
        "redis://h?a=%ff         | the escapes are not UTF-8",
        "redis://a:b%00@h        | an escape stands for a control character",
        "redis://h/%0a           | an escape stands for a control character",
        "redis://h//             | the path has an empty part",
        "redis://h/a//b          | the path has an empty part",
        "redis://h/a/            | the path has an empty part",
        "redis://h?              | a parameter is written name=value",
        "redis://h?prefix        | a parameter is written name=value",
        "redis://h?=x            | a parameter is written name=value",
        "redis://h?a=b&          | a parameter is written name=value",
        "redis://h?a=b&&c=d      | a parameter is written name=value",
        "redis://h?a=b&a=b       | a parameter is given twice",
        "redis://h?a=b&%61=c     | a parameter is given twice",
      })
  void what_is_malformed_is_refused_with_the_url(String url, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> StoreUrl.parse(url))
        .withMessageStartingWith("malformed store URL '" + StoreUrl.redact(url) + "': " + message)
        .withMessageNotContaining("\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"redis://h,h", "redis://h,h:7", "redis://h,H", "redis://[::A],[::a]:7"})
  void a_host_that_is_given_twice_is_refused(String text) {
    StoreUrl url = StoreUrl.parse(text);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> url.hosts(7))
        .withMessageContaining(":7 is given twice");
  }

  @Test
  void a_path_is_refused_where_it_means_nothing() {
    assertThat(StoreUrl.parse("etcd://h/").withoutPath().path()).isEmpty();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> StoreUrl.parse("etcd://h/0").withoutPath())
        .withMessageContaining("nothing but parameters may follow the hosts");
  }

  @ParameterizedTest
  @CsvSource({
    "min-ttl, ",
    "minTtl, the parameter 'minTtl' is written 'min-ttl'",
    "min.ttl, the parameter 'min.ttl' is written 'min-ttl'",
    "min_ttl, the parameter 'min_ttl' is written 'min-ttl'",
    "MIN-TTL, the parameter 'MIN-TTL' is written 'min-ttl'",
    "colour, unknown parameter 'colour'; there are ca%2C min-ttl",
    "%3Cscript%3E, a parameter is unknown; there are ca%2C min-ttl",
  })
  void an_unknown_parameter_is_refused_and_a_former_name_gets_the_present_one(
      String name, String message) {
    StoreUrl url = StoreUrl.parse("consul://h?" + name + "=1");

    if (message == null) {
      assertThat(url.knowing("min-ttl", "ca").value("min-ttl")).isEqualTo("1");
    } else {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> url.knowing("min-ttl", "ca"))
          .withMessageEndingWith(": " + message.replace("%2C", ","));
    }
  }

  @Test
  void values_have_types() {
    StoreUrl url = StoreUrl.parse("x://h?yes=true&no=false&n=-3&ms=1500ms&s=40s&m=1m");

    assertThat(url.isSet("yes")).isTrue();
    assertThat(url.isSet("no")).isFalse();
    assertThat(url.isSet("other")).isFalse();
    assertThat(url.number("n", 0, -3, 3)).isEqualTo(-3);
    assertThat(url.number("other", 7, 0, 1)).isEqualTo(7);
    assertThat(duration(url, "ms")).isEqualTo(Duration.ofMillis(1500));
    assertThat(duration(url, "s")).isEqualTo(Duration.ofSeconds(40));
    assertThat(duration(url, "m")).isEqualTo(MINUTE);
    assertThat(duration(url, "other")).isEqualTo(Duration.ZERO);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "TRUE", "1", "yes"})
  void what_is_neither_true_nor_false_is_refused(String value) {
    StoreUrl url = StoreUrl.parse("x://h?tls=" + value);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> url.isSet("tls"))
        .withMessageEndingWith("'tls' must be true or false");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "-1", "101", "1.0", "9999999999", "+1", "0x1", "1s"})
  void what_is_not_a_number_within_its_limits_is_refused(String value) {
    StoreUrl url = StoreUrl.parse("x://h?n=" + value);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> url.number("n", 0, 0, 100))
        .withMessageEndingWith("'n' must be a number from 0 to 100");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "3", "PT3S", "1h", "-1s", "1.5s", "s", "9999999999s"})
  void what_is_no_duration_is_refused(String value) {
    StoreUrl url = StoreUrl.parse("x://h?d=" + value);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> duration(url, "d"))
        .withMessageEndingWith("'d' must look like 1500ms, 40s or 2m");
  }

  @ParameterizedTest
  @ValueSource(strings = {"9ms", "61s", "2m"})
  void a_duration_beyond_its_limits_is_refused(String value) {
    StoreUrl url = StoreUrl.parse("x://h?d=" + value);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> duration(url, "d"))
        .withMessageEndingWith("'d' must be from 10 ms to 60000 ms");
  }

  @Test
  void files_must_be_readable(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("ca.pem"), "x");

    assertThat(StoreUrl.parse("x://h?ca=" + file).file("ca")).isEqualTo(file);
    assertThat(StoreUrl.parse("x://h").file("ca")).isNull();
    for (Path wrong : new Path[] {directory, directory.resolve("missing.pem")}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> StoreUrl.parse("x://h?ca=" + wrong).file("ca"))
          .withMessageEndingWith("the file of 'ca' cannot be read: " + wrong);
    }
  }

  @Test
  void files_for_tls_go_together_and_with_tls(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("a.pem"), "x");
    String all = "x://h?ca=%1$s&cert=%1$s&key=%1$s&key-password=zqx".formatted(file);

    TlsFiles files = StoreUrl.parse(all).tls(true, "write xs://");

    assertThat(files).isEqualTo(new TlsFiles(file, file, file, "zqx"));
    assertThat(files.toString()).doesNotContain("zqx");
    assertThat(StoreUrl.parse("x://h").tls(false, ""))
        .isEqualTo(new TlsFiles(null, null, null, null));
    assertRefused(all, false, "'ca' needs TLS: write xs://");
    assertRefused("x://h?cert=" + file, true, "'cert' and 'key' go together");
    assertRefused("x://h?key=" + file, true, "'cert' and 'key' go together");
    assertRefused("x://h?key-password=zqx", true, "'key-password' goes with 'key'");
  }

  private static void assertRefused(String url, boolean encrypted, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> StoreUrl.parse(url).tls(encrypted, "write xs://"))
        .withMessageEndingWith(message)
        .withMessageNotContaining("zqx");
  }

  private static Duration duration(StoreUrl url, String name) {
    return url.duration(name, Duration.ZERO, Duration.ofMillis(10), MINUTE);
  }
}
