package dev.holdfast.zookeeper;

import dev.holdfast.Finding;
import dev.holdfast.StoreException;
import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.Encryption;
import dev.holdfast.spi.StoreUrl;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * A store URL, taken apart: {@code
 * zookeeper://[user:password@]host[:port][,host[:port]…][/chroot][?sessionTimeout=40s]}, or {@code
 * zookeepers://} with TLS. User and password may be percent-encoded.
 */
final class ZooKeeperAddress {

  static final String SCHEME = "zookeeper";
  static final String SECURE_SCHEME = "zookeepers";

  /** The most that a server with default settings allows; enough for a ttl of 30 s. */
  static final Duration DEFAULT_SESSION_TIMEOUT = Duration.ofSeconds(40);

  private static final System.Logger LOG = System.getLogger(ZooKeeperAddress.class.getName());
  private static final Pattern HOSTS =
      Pattern.compile(
          "([^,:/\\s]+|\\[[^\\]]+])(:\\d{1,5})?(,([^,:/\\s]+|\\[[^\\]]+])(:\\d{1,5})?)*");

  private final String text;
  private final String hosts;
  private final String chroot;
  private final Parameters parameters;
  private final @Nullable String login;

  private ZooKeeperAddress(
      String text, String hosts, String chroot, Parameters parameters, @Nullable String login) {
    this.text = text;
    this.hosts = hosts;
    this.chroot = chroot;
    this.parameters = parameters;
    this.login = login;
  }

  static ZooKeeperAddress parse(String url, Credentials credentials) {
    String text = StoreUrl.redact(url);
    int colon = url.indexOf(':');
    String rest = url.substring(colon + 1);
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
    boolean secure = url.substring(0, colon).equals(SECURE_SCHEME);
    try {
      Parameters parameters = Parameters.parse(query, secure);
      return new ZooKeeperAddress(text, hosts, chroot, parameters, login(account, credentials));
    } catch (IllegalArgumentException e) {
      throw wrong(text, String.valueOf(e.getMessage()));
    }
  }

  /** As ZooKeeper's own client wants it. */
  String connectString() {
    return hosts + chroot;
  }

  /** One by one, as they are written. */
  List<String> hosts() {
    return List.of(hosts.split(","));
  }

  String chroot() {
    return chroot;
  }

  Duration sessionTimeout() {
    return parameters.sessionTimeout();
  }

  boolean isSecure() {
    return parameters.secure();
  }

  /** How connections are protected; a system property of ZooKeeper's turns the check off. */
  Finding encryption() {
    Encryption encryption = Encryption.of(isSecure());
    if (isSecure() && !parameters.verifiesHosts()) {
      encryption = Encryption.UNVERIFIED;
    }
    return encryption.finding(
        hosts(), isSecure() ? "remove zookeeper.ssl.hostnameVerification" : "use zookeepers://");
  }

  /** Who logs in keeps what it makes to itself. */
  List<ACL> acl() {
    Boolean creatorOnly = parameters.creatorOnly();
    return creatorOnly == null ? acl(login != null) : acl(creatorOnly);
  }

  private static List<ACL> acl(boolean creatorOnly) {
    return creatorOnly ? ZooDefs.Ids.CREATOR_ALL_ACL : ZooDefs.Ids.OPEN_ACL_UNSAFE;
  }

  /** Starts a session. */
  ZooKeeper connect(Watcher watcher) {
    try {
      Client client =
          new Client(connectString(), sessionTimeout(), watcher, parameters.clientConfig());
      if (login != null) {
        client.addAuthInfo("digest", login.getBytes(StandardCharsets.UTF_8));
      }
      return client;
    } catch (IOException e) {
      throw new StoreException("", "Cannot open a session with " + this, e);
    }
  }

  /** In the background: one wrong host among several is not noticed otherwise. */
  void warnOfMissingHosts(Duration patience) {
    if (!isSecure() && hosts().size() > 1) {
      Doctor.reports(hosts(), patience)
          .thenAccept(
              reports ->
                  reports.forEach(
                      (host, report) -> {
                        if (report == null) {
                          LOG.log(
                              System.Logger.Level.WARNING,
                              "{0} of {1} cannot be reached; the others serve",
                              host,
                              this);
                        }
                      }));
    }
  }

  /** Without the password. */
  @Override
  public String toString() {
    return text;
  }

  private static @Nullable String login(@Nullable String account, Credentials credentials) {
    int colon = account == null ? -1 : account.indexOf(':');
    String user = credentials.user();
    String password = credentials.password();
    if (account != null && user == null) {
      user = decode(colon < 0 ? account : account.substring(0, colon));
    }
    if (account != null && password == null && colon >= 0) {
      password = decode(account.substring(colon + 1));
    }
    if (user == null && password == null) {
      return null;
    }
    if (user == null || password == null) {
      throw new IllegalArgumentException("a user and a password go together");
    }
    return user + ":" + password;
  }

  private static String decode(String part) {
    try {
      return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "a % is not followed by two hexadecimal digits (write %25 for a plain one)", e);
    }
  }

  private static IllegalArgumentException wrong(String text, String why) {
    return new IllegalArgumentException(
        "malformed store URL '"
            + text
            + "': "
            + why
            + "; for example zookeeper://host1:2181,host2:2181/chroot?sessionTimeout=40s");
  }
}
