package dev.holdfast.spi.support;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedactionTest {

  /** In every URL below this is a secret; so are all its pieces. */
  private static final String CANARY = "CANARY";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis://:CANARY@cache-1:6379",
        "redis://app:CANARY@cache-1:6379/0",
        "rediss://app:CANARY@cache-1",
        "redis://app:CANARY@[::1]:6379",
        "redis://app:%40CANARY%2F@cache-1",
        "redis-sentinel://app:CANARY@s1:26379,s2:26379/0#primary",
        "redis-cluster://app:CANARY@n1,n2,n3",
        "redlock://:CANARY@h1:6379,:CANARY@h2:6379,:CANARY@h3:6379",
        "redlock://h1:6379,:CANARY@h2:6379",
        "jdbc:mysql://root:CANARY@db/locks",
        "etcd://root:CANARY@e1:2379,e2:2379",
        "nosuch://u:CANARY@h",
      })
  void a_password_before_the_host_is_hidden(String url) {
    assertThat(StoreUrl.redact(url)).doesNotContain(CANARY).contains("***");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis://app:CANARY:CANARY@cache-1", // a colon in the password
        "redis://app:CANARY@CANARY@cache-1", // an at sign
        "redis://app:CANARY/CANARY@cache-1", // a slash that should have been escaped
        "redis://app:CANARY?CANARY@cache-1",
        "redis://app:CANARY#CANARY@cache-1",
        "redis://:CANARY:@cache-1",
      })
  void a_password_with_odd_characters_is_hidden_whole(String url) {
    assertThat(StoreUrl.redact(url)).doesNotContain(CANARY);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis://CANARY@cache-1:6379",
        "rediss://CANARY@cache-1",
        "redlock://CANARY@h1:6379,CANARY@h2:6379",
        "redis-sentinel://CANARY@s1,s2#primary",
        "consul://CANARY@agent:8500",
      })
  void a_bare_secret_before_the_host_is_hidden(String url) {
    assertThat(StoreUrl.redact(url)).doesNotContain(CANARY);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://db/locks?user=app&password=CANARY",
        "jdbc:postgresql://db/locks?password=CANARY&user=app",
        "jdbc:postgresql://db/locks?PASSWORD=CANARY",
        "jdbc:postgresql://db/locks?ssl=true&sslpassword=CANARY&sslmode=require",
        "jdbc:postgresql://db/locks?sslkeypassword=CANARY",
        "jdbc:mariadb://db/locks?user=app&passwd=CANARY",
        "jdbc:sqlserver://db:1433;databaseName=locks;user=app;password=CANARY;encrypt=true",
        "jdbc:sqlserver://db;PWD=CANARY",
        "jdbc:h2:file:./locks;USER=sa;PASSWORD=CANARY",
        "jdbc:h2:mem:locks;CIPHER=AES;PASSWORD=CANARY CANARY",
        "jdbc:sqlite:locks.db?cipher=sqlcipher&key=CANARY",
        "jdbc:sqlite:locks.db?hexkey=CANARY",
        "sqlite:locks.db?password=CANARY",
        "consul://agent:8500?token=CANARY",
        "consul://agent:8500?acl_token=CANARY&dc=eu",
        "etcd://e1?accessKey=CANARY&secretKey=CANARY",
        "redis://cache?client_secret=CANARY",
        "redis://cache?password=",
        "jdbc:postgresql://db/locks?password=CANARY,CANARY&ssl=true",
        "jdbc:postgresql://db/locks?password=(CANARY)CANARY",
        "jdbc:sqlserver://db;password=CANARY,CANARY;encrypt=true",
      })
  void a_secret_among_the_parameters_is_hidden(String url) {
    assertThat(StoreUrl.redact(url)).doesNotContain(CANARY).contains("***");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:mysql://address=(host=db)(user=app)(password=CANARY)/locks",
        "jdbc:mysql://(host=db,user=app,password=CANARY)/locks",
        "jdbc:mysql://app:CANARY@(host=db1,port=3306),(host=db2,password=CANARY)/locks",
        "jdbc:mariadb://address=(host=db)(password=CANARY)/locks",
      })
  void a_secret_in_the_key_value_form_of_mysql_is_hidden(String url) {
    assertThat(StoreUrl.redact(url)).doesNotContain(CANARY);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis:app:CANARY@h", // without slashes
        "redis:CANARY@h",
        "app:CANARY@h",
        "CANARY@h",
        "CANARY@h:6379",
        "jdbc:CANARY@h:1",
        "redis:app%3ACANARY%40h",
        "redis://CANARY:@h", // a token in place of a user
        "redis://app:CANARY/CANARY", // without @ and host
        "redis://app:CANARY?CANARY=CANARY",
        "redis://h1:1,app:CANARY%40CANARY",
        "jdbc:oracle:thin:app/CANARY@h",
        "redis://app:CANARY", // without a host
        "redis://h1,app:CANARY?prefix=x",
        "redis://[::1]:CANARY/0",
        "redis://app%3ACANARY%40h", // separators that are escaped
        "redis%3A%2F%2Fapp%3ACANARY%40h",
        "redis://h%3Fpassword%3DCANARY",
        "redis://h?x=1%26password%3DCANARY",
        "redis://h?x=1%2526password%253DCANARY",
        "redis://h?pass%77ord=CANARY",
        "redis://h?%70%61%73%73%77%6f%72%64=CANARY",
        "redis://h?password=CA%26CANARY",
        "redis://h?password=CA&CANARY",
        "redis://h?password=CA&CANARY&CANARY&prefix=x",
        "jdbc:h2:mem:x;PASSWORD=CA;CANARY",
        "jdbc:h2:mem:x;PASSWORD=CA\\;CANARY",
        "redis-sentinel://h/m?sentinel-password=CANARY",
        "redis-sentinel://h/m?sentinelPassword=CANARY",
        "rediss://h?key=k.pem&key-password=CANARY",
        "jdbc:mysql://h/d?trustCertificateKeyStorePassword=CANARY",
        "jdbc:postgresql://h/d?user=a & password = CANARY",
        "sqlite:/x/locks.db;pwd=CANARY",
        "memory:?token=CANARY",
      })
  void no_spelling_shows_it(String url) {
    assertThat(StoreUrl.redact(url)).doesNotContain("CANARY").contains("***");
  }

  @Test
  void both_kinds_of_secret_in_one_url_are_hidden() {
    assertThat(StoreUrl.redact("jdbc:mysql://app:CANARY@db/locks?password=CANARY&ssl=true"))
        .isEqualTo("jdbc:mysql://app:***@db/locks?password=***&ssl=true");
  }

  @Test
  void what_is_not_secret_stays_readable() {
    assertThat(StoreUrl.redact("redis://app:CANARY@cache-1:6379/2?timeout=3s"))
        .isEqualTo("redis://app:***@cache-1:6379/2?timeout=3s");
    assertThat(StoreUrl.redact("jdbc:sqlserver://db:1433;user=app;password=CANARY;encrypt=true"))
        .isEqualTo("jdbc:sqlserver://db:1433;user=app;password=***;encrypt=true");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "memory:",
        "memory:orders",
        "sqlite:/var/lib/app/locks.db",
        "jdbc:sqlite:/var/lib/app/locks.db?busy_timeout=100",
        "jdbc:postgresql://db:5432/locks?user=app",
        "redis://cache-1:6379/0",
        "zookeeper://z1:2181,z2:2181/locks",
        "redis://[::1]:6379,[::2]/0?prefix=a%40b",
        "etcds://e1?cert=c.pem&key=k.pem",
        "sqlite:/var/a@b/locks.db",
        "jdbc:h2:/var/a@b/locks",
        "memory:a@b",
        "",
      })
  void a_url_without_secrets_is_left_alone(String url) {
    assertThat(StoreUrl.redact(url)).isEqualTo(url);
  }

  @ParameterizedTest
  @CsvSource({
    "memory:, memory",
    "memory:orders, memory",
    "sqlite:/var/lib/locks.db, sqlite",
    "redis://cache:6379, redis",
    "redis-sentinel://s1, redis-sentinel",
    "jdbc:sqlite:locks.db, jdbc:sqlite",
    "jdbc:postgresql://db/locks, jdbc:postgresql",
    "jdbc:, ''",
    "jdbc:sqlite, ''",
    "plain, ''",
    ":odd, ''",
    "'', ''",
  })
  void the_scheme_is_what_stands_before_the_colon_that_counts(String url, String scheme) {
    assertThat(StoreUrl.scheme(url)).isEqualTo(scheme);
  }
}
