package dev.holdfast.zookeeper;

import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.StoreUrl;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * A store URL, taken apart: {@code
 * zookeeper://[user:password@]host[:port][,host[:port]…][/chroot][?sessionTimeout=30s]}. User and
 * password may be percent-encoded.
 */
final class ZooKeeperAddress {

  static final String SCHEME = "zookeeper";
  static final Duration DEFAULT_SESSION_TIMEOUT = Duration.ofSeconds(30);

  private static final Pattern HOSTS =
      Pattern.compile(
          "([^,:/\\s]+|\\[[^\\]]+])(:\\d{1,5})?(,([^,:/\\s]+|\\[[^\\]]+])(:\\d{1,5})?)*");
  private static final Pattern TIMEOUT = Pattern.compile("sessionTimeout=(\\d{1,9})(ms|s|m)");

  private final String text;
  private final String hosts;
  private final String chroot;
  private final Duration sessionTimeout;
  private final @Nullable String login;

  private ZooKeeperAddress(
      String text, String hosts, String chroot, Duration timeout, @Nullable String login) {
    this.text = text;
    this.hosts = hosts;
    this.chroot = chroot;
    this.sessionTimeout = timeout;
    this.login = login;
  }

  static ZooKeeperAddress parse(String url, Credentials credentials) {
    String text = StoreUrl.redact(url);
    String rest = url.substring(SCHEME.length() + 1);
    if (!rest.startsWith("//")) {
      throw wrong(text, "after the scheme comes //");
    }
    rest = rest.substring(2);
    // From the end, because a password may hold any character.
    int at = rest.lastIndexOf('@');
    String account = at < 0 ? null : rest.substring(0, at);
    rest = rest.substring(at + 1);
    int question = rest.indexOf('?');
    String query = question < 0 ? "" : rest.substring(question + 1);
    rest = question < 0 ? rest : rest.substring(0, question);
    int slash = rest.indexOf('/');
    String chroot = slash < 0 || slash == rest.length() - 1 ? "" : rest.substring(slash);
    String hosts = slash < 0 ? rest : rest.substring(0, slash);
    if (!HOSTS.matcher(hosts).matches()) {
      throw wrong(text, "a host or its port is missing");
    }
    if (chroot.endsWith("/") || chroot.contains("//")) {
      throw wrong(text, "'" + chroot + "' is not a path of a node");
    }
    return new ZooKeeperAddress(
        text, hosts, chroot, timeout(text, query), login(text, account, credentials));
  }

  /** As ZooKeeper's own client wants it. */
  String connectString() {
    return hosts + chroot;
  }

  String chroot() {
    return chroot;
  }

  Duration sessionTimeout() {
    return sessionTimeout;
  }

  /** Who logs in keeps what it makes to itself. */
  List<ACL> acl() {
    return login == null ? ZooDefs.Ids.OPEN_ACL_UNSAFE : ZooDefs.Ids.CREATOR_ALL_ACL;
  }

  void logIn(ZooKeeper client) {
    if (login != null) {
      client.addAuthInfo("digest", login.getBytes(StandardCharsets.UTF_8));
    }
  }

  /** Without the password. */
  @Override
  public String toString() {
    return text;
  }

  private static Duration timeout(String text, String query) {
    if (query.isEmpty()) {
      return DEFAULT_SESSION_TIMEOUT;
    }
    Matcher matcher = TIMEOUT.matcher(query);
    if (!matcher.matches()) {
      throw wrong(text, "the only parameter is sessionTimeout, for example sessionTimeout=10s");
    }
    long number = Long.parseLong(matcher.group(1));
    Duration timeout =
        switch (matcher.group(2)) {
          case "ms" -> Duration.ofMillis(number);
          case "s" -> Duration.ofSeconds(number);
          default -> Duration.ofMinutes(number);
        };
    if (timeout.toMillis() < 100 || timeout.toMillis() > Integer.MAX_VALUE) {
      throw wrong(text, "sessionTimeout must lie between 100 ms and 24 days");
    }
    return timeout;
  }

  private static @Nullable String login(
      String text, @Nullable String account, Credentials credentials) {
    int colon = account == null ? -1 : account.indexOf(':');
    String user = credentials.user();
    String password = credentials.password();
    if (account != null && user == null) {
      user = decode(text, colon < 0 ? account : account.substring(0, colon));
    }
    if (account != null && password == null && colon >= 0) {
      password = decode(text, account.substring(colon + 1));
    }
    if (user == null && password == null) {
      return null;
    }
    if (user == null || password == null) {
      throw wrong(text, "a user and a password go together");
    }
    return user + ":" + password;
  }

  private static String decode(String text, String part) {
    try {
      return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw wrong(
          text, "a % is not followed by two hexadecimal digits (write %25 for a plain one)");
    }
  }

  private static IllegalArgumentException wrong(String text, String why) {
    return new IllegalArgumentException(
        "malformed store URL '"
            + text
            + "': "
            + why
            + "; for example zookeeper://host1:2181,host2:2181/chroot?sessionTimeout=30s");
  }
}
