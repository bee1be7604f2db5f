package dev.holdfast.cli;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A store URL with a secret in it, or beside it.
 *
 * @param store which it is for
 * @param url what is given to Holdfast
 * @param beside the password that is given beside it, empty for none
 * @param secret no three letters of which are in any message
 */
public record SecretUrl(String store, String url, String beside, String secret) {

  private static final long SEED = 20_261_118;
  private static final String PLACE = "{}";

  /** None shares three characters in a row with a word of a message. */
  public static final List<String> SECRETS =
      List.of(
          "zqxkvwj",
          "zqx@kvwj",
          "zqx:kvwj",
          "zqx/kvwj",
          "zqx%kvwj",
          "zqx%40kvwj",
          "zqx?kvwj#xqz",
          "zqx&kvwj",
          "zqx;kvwj",
          "zqx,kvwj",
          "zqx+kvwj",
          "zqx kvwj",
          "zqx\"kvwj'xqz",
          "žqxķvŵĵ",
          "ЖЩЪЫЭ",
          "鷺鷥鴛鴦");

  /** Of all schemes with servers; HOST stands for the servers, PATH for what must follow them. */
  private static final List<String> PLACES =
      List.of(
          "://app:{}@HOSTPATH",
          "://:{}@HOSTPATH",
          "://{}@HOSTPATH",
          "://{}:@HOSTPATH",
          ":app:{}@HOST",
          ":{}@HOST",
          "://app:{}",
          "://HOST,app:{}PATH",
          "://HOST,app:{}@hostPATH",
          "://app:{}@host:port",
          "://app:{}@@HOSTPATH",
          "://app:{}@HOST/%zz",
          "://app:{}@HOSTPATH#here",
          "%3A%2F%2Fapp%3A{}%40HOST",
          "://HOSTPATH?password={}",
          "://app:{}@HOSTPATH?nonsense=1",
          "://HOSTPATH?prefix=a&auth-token={}",
          "://HOSTPATH%3Fpassword%3D{}",
          "://HOSTPATH?prefix=a%26password%3D{}",
          "://HOSTPATH?pass%77ord={}",
          "://HOSTPATH?sentinel-password={}",
          "://HOSTPATH?sentinelPassword={}",
          "://HOSTPATH?key-password={}",
          "://HOSTPATH?ca=/nowhere&keyStorePassword={}");

  private static final List<String> SQL =
      List.of(
          "jdbc:postgresql://127.0.0.1:1/db?user=app&password={}",
          "jdbc:postgresql://127.0.0.1:1/db?password={}&user=app",
          "jdbc:postgresql://app:{}@127.0.0.1:1/db",
          "jdbc:postgresql://[broken?password={}",
          "jdbc:postgresql://127.0.0.1:1/db?sslmode=require&sslpassword={}&user=app",
          "jdbc:postgresql://127.0.0.1:1/db?loggerFile=x&password={}",
          "jdbc:postgresql://127.0.0.1:1/db?holdfast.nonsense=1&password={}",
          "jdbc:postgresql://127.0.0.1:x/db?password={}",
          "jdbc:mysql://app:{}@127.0.0.1:1/db",
          "jdbc:mysql://127.0.0.1:1/db?user=app&password={}",
          "jdbc:mysql://address=(host=127.0.0.1)(port=1)(user=app)(password={})/db",
          "jdbc:mysql://(host=127.0.0.1,port=1,user=app,password={})/db",
          "jdbc:mysql://app:{}@127.0.0.1:x/db",
          "jdbc:mysql:app:{}@broken",
          "jdbc:mysql://127.0.0.1:1/db?trustCertificateKeyStorePassword={}&sslMode=VERIFY_CA",
          "jdbc:mysql://127.0.0.1:1/db?autoDeserialize=true&password={}",
          "jdbc:mariadb://127.0.0.1:1/db?user=app&password={}",
          "jdbc:mariadb://app:{}@127.0.0.1:1/db",
          "jdbc:mariadb:broken?password={}",
          "jdbc:mariadb://address=(host=127.0.0.1)(port=1)(password={})/db",
          "jdbc:mariadb://127.0.0.1:1/db?keyStorePassword={}&sslMode=verify-full",
          "jdbc:mariadb://127.0.0.1:1/db?trustStorePassword={}&trustStore=/nowhere&sslMode=verify-ca",
          "jdbc:h2:mem:NAME;USER=sa;PASSWORD={}",
          "jdbc:h2:tcp://127.0.0.1:1/db;USER=sa;PASSWORD={}",
          "jdbc:h2:tcp://;PASSWORD={}",
          "jdbc:h2:mem:NAME;NONSENSE=1;PASSWORD={}",
          "jdbc:h2:mem:NAME;INIT=SELECT 1;PASSWORD={}",
          "jdbc:h2:mem:;PASSWORD={}",
          "jdbc:h2:mem:NAME;AUTHZPWD={};USER=sa",
          "jdbc:nosuch://app:{}@h",
          "jdbc:sqlite:/nowhere/locks.db?password={}",
          "jdbc:sqlite::memory:?key={}",
          "jdbc:sqlite:file:/nowhere/locks.db?hexkey={}",
          "sqlite:/nowhere/locks.db?password={}",
          "sqlite:/nowhere/locks.db;PASSWORD={}",
          "sqlite://app:{}@host/locks.db",
          "sqlite:?password={}",
          "memory:?token={}",
          "memory:NAME;password={}",
          "nosuch://app:{}@h",
          "nosuch:app:{}@h",
          "app:{}@h",
          "://app:{}@h");

  /** Every place with several secrets, in changing spellings; the same in every run. */
  static List<SecretUrl> all() {
    List<SecretUrl> all = new ArrayList<>();
    Random random = new Random(SEED);
    String one = "127.0.0.1:1";
    String three = "127.0.0.1:1,127.0.0.1:2,127.0.0.1:3";
    for (String scheme :
        List.of("redis", "rediss", "memcached", "memcacheds", "zookeeper", "zookeepers")) {
      add(all, random, scheme, one, "");
    }
    for (String scheme : List.of("etcd", "etcds", "consul", "consuls", "redis-cluster")) {
      add(all, random, scheme, three, "");
    }
    add(all, random, "redlock", three, "");
    add(all, random, "redis-sentinel", three, "/main");
    for (String place : SQL) {
      String store = place.replaceFirst("^((?:jdbc:)?[a-z0-9]*):.*", "$1");
      for (String secret : SECRETS) {
        all.add(of(random, store.startsWith(":") ? "none" : store, place, secret));
      }
    }
    for (String scheme : List.of("postgresql", "mysql", "mariadb")) {
      for (String secret : SECRETS.subList(0, 5)) {
        String url = "jdbc:" + scheme + "://127.0.0.1:1/db";
        all.add(new SecretUrl("jdbc:" + scheme, url, secret, secret));
      }
    }
    return all;
  }

  private static void add(
      List<SecretUrl> all, Random random, String scheme, String hosts, String path) {
    for (String place : PLACES) {
      String whole = scheme + place.replace("HOST", hosts).replace("PATH", path);
      for (int i = 0; i < 2; i++) {
        all.add(of(random, scheme, whole, SECRETS.get(random.nextInt(SECRETS.size()))));
      }
    }
    for (String secret : SECRETS.subList(0, 5)) {
      all.add(new SecretUrl(scheme, scheme + "://" + hosts + path, secret, secret));
    }
  }

  private static SecretUrl of(Random random, String store, String place, String secret) {
    int how = random.nextInt(5);
    if (how == 0 && isAmbiguous(place, secret)) {
      how = 1;
    }
    String name = "n" + random.nextInt(1_000_000);
    String url = place.replace("NAME", name).replace(PLACE, spelled(secret, how));
    return new SecretUrl(store, url, "", secret);
  }

  /** Written plainly, a part of it would be a user or a host, which are no secrets. */
  private static boolean isAmbiguous(String place, String secret) {
    return place.contains("://" + PLACE) && secret.contains(":")
        || place.indexOf('@') < 0 && secret.contains("@");
  }

  private static String spelled(String secret, int how) {
    String encoded = URLEncoder.encode(secret, StandardCharsets.UTF_8).replace("+", "%20");
    return switch (how) {
      case 0 -> secret;
      case 1 -> URLEncoder.encode(encoded, StandardCharsets.UTF_8);
      case 2 -> everyByte(secret);
      default -> encoded;
    };
  }

  private static String everyByte(String secret) {
    StringBuilder text = new StringBuilder();
    for (byte one : secret.getBytes(StandardCharsets.UTF_8)) {
      text.append("%%%02x".formatted(one));
    }
    return text.toString();
  }
}
