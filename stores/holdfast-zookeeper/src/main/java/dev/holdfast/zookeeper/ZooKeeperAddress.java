package dev.holdfast.zookeeper;

import dev.holdfast.Finding;
import dev.holdfast.StoreException;
import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.Encryption;
import dev.holdfast.spi.support.StoreUrl;
import dev.holdfast.spi.support.StoreUrl.Host;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.zookeeper.ClientCnxnSocketNetty;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * A parsed store URL: {@code
 * zookeeper://[user:password@]host[:port][,host[:port]…][/chroot][?name=value…]}, or {@code
 * zookeepers://} with TLS. Immutable and thread-safe.
 */
record ZooKeeperAddress(
    StoreUrl url,
    List<Host> hosts,
    String chroot,
    Duration sessionTimeout,
    Credentials login,
    List<ACL> acl,
    @Nullable Path ca,
    @Nullable Path identity) {

  static final String SCHEME = "zookeeper";
  static final String SECURE_SCHEME = "zookeepers";

  /** The longest that a server with default settings allows; enough for a ttl of 30 s. */
  static final Duration DEFAULT_SESSION_TIMEOUT = Duration.ofSeconds(40);

  private static final System.Logger LOG = System.getLogger(ZooKeeperAddress.class.getName());
  private static final Duration SHORTEST_SESSION_TIMEOUT = Duration.ofMillis(100);
  private static final Duration LONGEST_SESSION_TIMEOUT = Duration.ofDays(24);
  private static final int PORT = 2181;

  static ZooKeeperAddress parse(String text, Credentials given) {
    StoreUrl url = StoreUrl.parse(text).knowing("session-timeout", "acl", "ca", "identity");
    boolean secure = url.scheme().equals(SECURE_SCHEME);
    if (url.has("identity") && !secure) {
      throw url.malformed("'identity' needs TLS: write zookeepers://");
    }
    Credentials login = url.userAndPassword(given);
    return new ZooKeeperAddress(
        url,
        url.hosts(PORT),
        url.path().isEmpty() ? "" : "/" + String.join("/", url.path()),
        url.duration(
            "session-timeout",
            DEFAULT_SESSION_TIMEOUT,
            SHORTEST_SESSION_TIMEOUT,
            LONGEST_SESSION_TIMEOUT),
        login,
        acl(url, login.user() != null),
        url.tls(secure, "write zookeepers://").ca(),
        url.file("identity"));
  }

  // With a login, nodes are private by default.
  private static List<ACL> acl(StoreUrl url, boolean loggedIn) {
    return switch (url.value("acl", loggedIn ? "creator" : "open")) {
      case "creator" -> ZooDefs.Ids.CREATOR_ALL_ACL;
      case "open" -> ZooDefs.Ids.OPEN_ACL_UNSAFE;
      default -> throw url.malformed("'acl' must be creator or open");
    };
  }

  /** {@return the servers and the chroot, as ZooKeeper's client expects them} */
  String connectString() {
    return names().collect(Collectors.joining(",")) + chroot;
  }

  private Stream<String> names() {
    return hosts.stream().map(Host::toString);
  }

  boolean isSecure() {
    return url.scheme().equals(SECURE_SCHEME);
  }

  /** {@return how connections are protected; a system property can turn the check of hosts off} */
  Finding encryption() {
    Encryption encryption = Encryption.of(isSecure());
    if (isSecure() && !verifiesHosts()) {
      encryption = Encryption.UNVERIFIED;
    }
    return encryption.finding(
        names().toList(),
        isSecure() ? "remove zookeeper.ssl.hostnameVerification" : "use zookeepers://");
  }

  private boolean verifiesHosts() {
    return clientConfig().getBoolean("zookeeper.ssl.hostnameVerification", true);
  }

  /** Opens a session. */
  ZooKeeper connect(Watcher watcher) {
    try {
      DetachableClient client =
          new DetachableClient(connectString(), sessionTimeout, watcher, clientConfig());
      if (login.user() != null) {
        String secret = login.user() + ":" + login.password();
        client.addAuthInfo("digest", secret.getBytes(StandardCharsets.UTF_8));
      }
      return client;
    } catch (IOException e) {
      throw new StoreException("", "Cannot open a session with " + this, e);
    }
  }

  /** {@return the system properties, and TLS if requested} */
  private ZKClientConfig clientConfig() {
    ZKClientConfig config = new ZKClientConfig();
    // The deletion of a held node must be reported over a reconnection too.
    config.setProperty(ZKClientConfig.DISABLE_AUTO_WATCH_RESET, "false");
    if (isSecure()) {
      config.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
      config.setProperty(
          ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, ClientCnxnSocketNetty.class.getName());
    }
    if (ca != null) {
      config.setProperty("zookeeper.ssl.trustStore.location", ca.toString());
      config.setProperty("zookeeper.ssl.trustStore.type", "PEM");
    }
    if (identity != null) {
      config.setProperty("zookeeper.ssl.keyStore.location", identity.toString());
      config.setProperty("zookeeper.ssl.keyStore.type", "PEM");
    }
    return config;
  }

  /** In the background: one wrong host among several would remain unnoticed. */
  void warnOfMissingHosts(Duration timeout) {
    if (!isSecure() && hosts.size() > 1) {
      ServerReport.askAll(hosts, timeout)
          .thenAccept(
              reports ->
                  reports.stream().filter(ServerReport::isSilent).forEach(this::warnOfMissingHost));
    }
  }

  private void warnOfMissingHost(ServerReport silent) {
    LOG.log(
        System.Logger.Level.WARNING,
        "Cannot reach {0} of {1}; the other servers are in use",
        silent.host(),
        this);
  }

  /** Without the password. */
  @Override
  public String toString() {
    return url.toString();
  }
}
