package dev.holdfast.bench.zookeeper;

import dev.holdfast.bench.contender.Client;
import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Floor;
import dev.holdfast.bench.contender.Mutex;
import java.util.concurrent.CountDownLatch;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

/**
 * The lock is one ephemeral node: made to take it, deleted to release it, two round trips. The
 * number of the transaction that made it is the token. The owner check is the session: once it has
 * ended, and the node with it, the server refuses whatever else it asks for.
 */
record ZooKeeperFloor(ZooKeeper client) implements Client {

  static final Contender CONTENDER = Floor.of(ZooKeeperFloor::open);

  private static final String FOLDER = "floor";
  private static final int SESSION_MILLIS = 30_000;

  private static Client open(String url) throws Exception {
    CountDownLatch connected = new CountDownLatch(1);
    ZooKeeper client =
        new ZooKeeper(
            ZooKeeperStore.connectString(url),
            SESSION_MILLIS,
            event -> {
              if (event.getState() == KeeperState.SyncConnected) {
                connected.countDown();
              }
            });
    connected.await();
    try {
      client.create("/" + FOLDER, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    } catch (KeeperException.NodeExistsException e) {
      // Another client was here before.
    }
    return new ZooKeeperFloor(client);
  }

  @Override
  public Mutex mutex(String name) {
    String path = ZooKeeperStore.path(FOLDER, name);
    return () -> {
      Stat stat = new Stat();
      client.create(path, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL, stat);
      return Floor.held(stat.getCzxid(), () -> client.delete(path, -1));
    };
  }

  @Override
  public void close() throws InterruptedException {
    client.close();
  }
}
