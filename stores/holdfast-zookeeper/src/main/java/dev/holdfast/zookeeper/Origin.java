package dev.holdfast.zookeeper;

import dev.holdfast.Finding;
import dev.holdfast.StoreException;
import java.time.Duration;
import java.util.List;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * Where sessions come from: a URL, or a client that is the caller's.
 *
 * @param name what people know it by, without secrets
 * @param hosts that can be asked about themselves, possibly none
 * @param chroot below which everything is, empty for the root; null if nobody told us
 * @param sessionTimeout as asked for
 * @param encryption how connections are protected; null if nobody told us
 * @param renews whether another session can be had after one has ended
 */
record Origin(
    String name,
    List<String> hosts,
    @Nullable String chroot,
    Duration sessionTimeout,
    List<ACL> acl,
    @Nullable Finding encryption,
    boolean renews,
    Session.Dialer dialer) {

  static Origin of(ZooKeeperAddress address) {
    return new Origin(
        address.toString(),
        address.isSecure() ? List.of() : address.hosts(),
        address.chroot(),
        address.sessionTimeout(),
        address.acl(),
        address.encryption(),
        true,
        address::connect);
  }

  static Origin of(ZooKeeper client, List<ACL> acl) {
    Duration timeout = Duration.ofMillis(client.getSessionTimeout());
    return new Origin(
        "zookeeper: (the caller's client)",
        List.of(),
        null,
        timeout,
        acl,
        null,
        false,
        watcher -> client);
  }

  /** What it means that the server refuses to let us work. */
  StoreException refusal(Throwable cause) {
    if (Zk.is(cause, Code.NONODE)) {
      return new StoreException(
          "",
          this
              + ": the chroot does not exist; make it with zkCli (create "
              + below("")
              + "), or leave it out of the URL",
          cause);
    }
    if (Zk.is(cause, Code.NOAUTH)) {
      return new StoreException(
          "",
          this
              + ": this account may not create and write nodes in "
              + below(Names.ROOT)
              + ": wrong credentials, or another account made it (zkCli: getAcl "
              + below(Names.ROOT)
              + ")",
          cause);
    }
    if (Zk.is(cause, Code.AUTHFAILED)) {
      return new StoreException("", this + ": ZooKeeper refuses the user or the password", cause);
    }
    if (Zk.is(cause, Code.INVALIDACL)) {
      return new StoreException(
          "", this + ": acl=creator needs a login, and the server knows of none", cause);
    }
    return new StoreException("", "Cannot use " + this + ": " + cause.getMessage(), cause);
  }

  private String below(String path) {
    return chroot == null ? path : chroot + path;
  }

  @Override
  public String toString() {
    return name;
  }
}
