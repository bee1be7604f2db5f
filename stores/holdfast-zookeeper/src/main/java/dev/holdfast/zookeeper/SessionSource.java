package dev.holdfast.zookeeper;

import dev.holdfast.Finding;
import dev.holdfast.StoreException;
import dev.holdfast.spi.support.StoreUrl.Host;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * Opens sessions: by a URL, or on the caller's client. Immutable.
 *
 * @param name for messages, without secrets
 * @param hosts that can be asked for their state, possibly none
 * @param chroot above all nodes, empty for the root; null if unknown
 * @param sessionTimeout as requested
 * @param encryption how connections are protected; null if unknown
 * @param renews true if it can open another session after one has ended
 */
record SessionSource(
    String name,
    List<Host> hosts,
    @Nullable String chroot,
    Duration sessionTimeout,
    List<ACL> acl,
    @Nullable Finding encryption,
    boolean renews,
    Function<Watcher, ZooKeeper> dialer) {

  static SessionSource of(ZooKeeperAddress address) {
    return new SessionSource(
        address.toString(),
        address.isSecure() ? List.of() : address.hosts(),
        address.chroot(),
        address.sessionTimeout(),
        address.acl(),
        address.encryption(),
        true,
        address::connect);
  }

  static SessionSource of(ZooKeeper client, List<ACL> acl) {
    Duration timeout = Duration.ofMillis(client.getSessionTimeout());
    return new SessionSource(
        "zookeeper: (the caller's client)",
        List.of(),
        null,
        timeout,
        acl,
        null,
        false,
        watcher -> client);
  }

  /** {@return what to report when opening a store has failed} */
  StoreException refusal(Throwable cause) {
    String why = "Cannot use " + this + ": " + cause.getMessage();
    if (AsyncZooKeeper.is(cause, Code.NONODE)) {
      why =
          this
              + ": the chroot does not exist; create it with zkCli (create "
              + below("")
              + "), or remove it from the URL";
    } else if (AsyncZooKeeper.is(cause, Code.NOAUTH)) {
      why =
          this
              + ": this account may not create and write nodes in "
              + below(NodePaths.ROOT)
              + ": wrong credentials, or another account created it (zkCli: getAcl "
              + below(NodePaths.ROOT)
              + ")";
    } else if (AsyncZooKeeper.is(cause, Code.AUTHFAILED)) {
      why = this + ": ZooKeeper refused the user or the password";
    } else if (AsyncZooKeeper.is(cause, Code.INVALIDACL)) {
      why = this + ": acl=creator needs a login, and the server knows of none";
    }
    return new StoreException("", why, cause);
  }

  private String below(String path) {
    return chroot == null ? path : chroot + path;
  }

  @Override
  public String toString() {
    return name;
  }
}
