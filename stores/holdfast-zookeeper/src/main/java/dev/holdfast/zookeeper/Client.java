package dev.holdfast.zookeeper;

import java.io.IOException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;

/** ZooKeeper's client, which can also go without ending its session. */
final class Client extends ZooKeeper {

  private static final boolean READ_ONLY = false; // without a quorum no word about locks counts

  Client(String connectString, int sessionTimeout, Watcher watcher) throws IOException {
    super(connectString, sessionTimeout, watcher, READ_ONLY);
  }

  /** Ends the session, and with it all its ephemeral nodes. */
  void end() {
    try {
      close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Gives back connection and threads; the session lives until its time-out. */
  void drop() {
    cnxn.disconnect();
  }
}
