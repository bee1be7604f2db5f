package dev.holdfast.zookeeper;

import java.io.IOException;
import java.time.Duration;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;

/** ZooKeeper's client, which can also disconnect without ending its session. Thread-safe. */
final class DetachableClient extends ZooKeeper {

  private static final boolean READ_ONLY =
      false; // a server without a quorum knows nothing about locks

  /** Enough for a healthy server to end a session. */
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);

  DetachableClient(
      String connectString, Duration sessionTimeout, Watcher watcher, ZKClientConfig config)
      throws IOException {
    super(connectString, (int) sessionTimeout.toMillis(), watcher, READ_ONLY, config);
  }

  /**
   * Ends the session, and with it all its ephemeral nodes.
   *
   * <p>ZooKeeper's close waits for the server's answer without a limit, so it runs on a separate
   * thread. After a second the connection is cut, which ends that thread and those of ZooKeeper's
   * client; the session ends by its time-out. If no server has answered yet, there is no session.
   *
   * @param wait false on ZooKeeper's event thread, which the close needs
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
      closing.join(CLOSE_TIMEOUT.toMillis());
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

  /** Releases connection and threads; the session ends by its time-out. */
  void drop() {
    cnxn.disconnect();
  }
}
