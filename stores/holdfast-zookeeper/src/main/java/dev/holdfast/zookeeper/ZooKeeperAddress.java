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
import org.apache.zookeeper.ClientCnxnSocketNetty;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * What a store URL says: {@code
 * zookeeper://[user:password@]host[:port][,host[:port]…][/chroot][?name=value…]}, or {@code
 * zookeepers://} with TLS.
 */
final class ZooKeeperAddress {

  static final String SCHEME = "zookeeper";
  static final String SECURE_SCHEME = "zookeepers";

  /** The most that a server with default settings allows; enough for a ttl of 30 s. */
  static final Duration DEFAULT_SESSION_TIMEOUT = Duration.ofSeconds(40);

  private static final System.Logger LOG = System.getLogger(ZooKeeperAddress.class.getName());
  private static final Duration SHORTEST_SESSION_TIMEOUT = Duration.ofMillis(100);
  private static final Duration LONGEST_SESSION_TIMEOUT = Duration.ofDays(24);
  private static final int PORT = 2181;

  private final StoreUrl url;
  private final List<String> hosts;
  private final String chroot;
  private final Duration sessionTimeout;
  private final Credentials login;
  private final List<ACL> acl;
  private final @Nullable Path ca;
  private final @Nullable Path identity;

  private ZooKeeperAddress(StoreUrl url, Credentials given) {
    this.url = url;
    hosts = url.hosts(PORT).stream().map(Host::toString).toList();
    chroot = url.path().isEmpty() ? "" : "/" + String.join("/", url.path());
    sessionTimeout =
        url.duration(
            "session-timeout",
            DEFAULT_SESSION_TIMEOUT,
            SHORTEST_SESSION_TIMEOUT,
            LONGEST_SESSION_TIMEOUT);
    login = url.userAndPassword(given);
    acl = acl(url, login.user() != null);
    if (url.has("identity") && !isSecure()) {
      throw url.malformed("'identity' needs TLS: write zookeepers://");
    }
    ca = url.tls(isSecure(), "write zookeepers://").ca();
    identity = url.file("identity");
  }

  static ZooKeeperAddress parse(String text, Credentials given) {
    StoreUrl url = StoreUrl.parse(text).knowing("session-timeout", "acl", "ca", "identity");
    return new ZooKeeperAddress(url, given);
  }

  // Who logs in keeps what it makes to itself.
  private static List<ACL> acl(StoreUrl url, boolean loggedIn) {
    return switch (url.value("acl", loggedIn ? "creator" : "open")) {
      case "creator" -> ZooDefs.Ids.CREATOR_ALL_ACL;
      case "open" -> ZooDefs.Ids.OPEN_ACL_UNSAFE;
      default -> throw url.malformed("'acl' must be creator or open");
    };
  }

  /** As ZooKeeper's own client wants it. */
  String connectString() {
    return String.join(",", hosts) + chroot;
  }

  /** One by one, as they are written. */
  List<String> hosts() {
    return hosts;
  }

  String chroot() {
    return chroot;
  }

  Duration sessionTimeout() {
    return sessionTimeout;
  }

  boolean isSecure() {
    return url.scheme().equals(SECURE_SCHEME);
  }

  /** How connections are protected; a system property of ZooKeeper's turns the check off. */
  Finding encryption() {
    Encryption encryption = Encryption.of(isSecure());
    if (isSecure() && !verifiesHosts()) {
      encryption = Encryption.UNVERIFIED;
    }
    return encryption.finding(
        hosts(), isSecure() ? "remove zookeeper.ssl.hostnameVerification" : "use zookeepers://");
  }

  private boolean verifiesHosts() {
    return clientConfig().getBoolean("zookeeper.ssl.hostnameVerification", true);
  }

  List<ACL> acl() {
    return acl;
  }

  /** Starts a session. */
  ZooKeeper connect(Watcher watcher) {
    try {
      Client client = new Client(connectString(), sessionTimeout, watcher, clientConfig());
      if (login.user() != null) {
        String secret = login.user() + ":" + login.password();
        client.addAuthInfo("digest", secret.getBytes(StandardCharsets.UTF_8));
      }
      return client;
    } catch (IOException e) {
      throw new StoreException("", "Cannot open a session with " + this, e);
    }
  }

  /** What system properties say, and TLS on top of it if it was asked for. */
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
    return url.toString();
  }
}
