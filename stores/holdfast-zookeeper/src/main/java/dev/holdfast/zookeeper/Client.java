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
   * its own does that. After a second the connection is cut, which ends that thread and those of
   * ZooKeeper's client; the server ends the session by its time-out. Where no server has answered
   * yet there is no session to end.
   *
   * @param wait false on ZooKeeper's event thread, without which the close does not come to its end
   */
  void end(boolean wait) {
    if (getSessionId() == 0) {
      drop();
    } else if (wait) {
      endInTime();
    } else {
      thread(this::endInTime).start();
    }
  }

  private void endInTime() {
    Thread closing = thread(this::closeQuietly);
    closing.start();
    try {
      closing.join(PATIENCE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (closing.isAlive()) {
      drop();
    }
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "holdfast-zookeeper-close");
    thread.setDaemon(true);
    return thread;
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
