package dev.holdfast.zookeeper;

import java.io.IOException;
import java.time.Duration;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;

/** ZooKeeper's client, which can also go without ending its session. */
final class Client extends ZooKeeper {

  private static final boolean READ_ONLY = false; // without a quorum no word about locks counts

  /** How long a healthy server may take to end a session. */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  Client(String connectString, Duration sessionTimeout, Watcher watcher, ZKClientConfig config)
      throws IOException {
    super(connectString, (int) sessionTimeout.toMillis(), watcher, READ_ONLY, config);
  }

  /**
   * Ends the session, and with it all its ephemeral nodes.
   *
   * <p>ZooKeeper's own close waits for the server's answer, however long that takes: a thread of
   * its own does that, and after a second nobody waits for it any more.
   *
   * @param wait false on ZooKeeper's event thread, without which the close does not come to its end
   */
  void end(boolean wait) {
    Thread closing = new Thread(this::closeQuietly, "holdfast-zookeeper-close");
    closing.setDaemon(true);
    closing.start();
    if (!wait) {
      return;
    }
    try {
      closing.join(PATIENCE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void closeQuietly() {
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
