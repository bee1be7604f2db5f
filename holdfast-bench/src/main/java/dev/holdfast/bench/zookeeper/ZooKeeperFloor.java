package dev.holdfast.bench.zookeeper;

import dev.holdfast.bench.contender.Client;
import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Floor;
import dev.holdfast.bench.contender.Mutex;
import java.util.concurrent.CompletableFuture;
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
 *
 * @param waits whether it uses the calls that keep a thread until they are answered
 */
record ZooKeeperFloor(ZooKeeper client, boolean waits) implements Client {

  static final Contender CONTENDER = Floor.of(url -> open(url, true));

  /** The same for a client that can give up waiting, as Holdfast can. */
  static final Contender LIMIT = Floor.limit("asynchronous calls", url -> open(url, false));

  private static final String FOLDER = "floor";
  private static final int SESSION_MILLIS = 30_000;

  private static Client open(String url, boolean waits) throws Exception {
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
    return new ZooKeeperFloor(client, waits);
  }

  @Override
  public Mutex mutex(String name) {
    String path = ZooKeeperStore.path(FOLDER, name);
    if (!waits) {
      return () -> Floor.held(create(path).get(), () -> delete(path).get());
    }
    return () -> {
      Stat stat = new Stat();
      client.create(path, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL, stat);
      return Floor.held(stat.getCzxid(), () -> client.delete(path, -1));
    };
  }

  private CompletableFuture<Long> create(String path) {
    CompletableFuture<Long> made = new CompletableFuture<>();
    client.create(
        path,
        new byte[0],
        ZooDefs.Ids.OPEN_ACL_UNSAFE,
        CreateMode.EPHEMERAL,
        (status, asked, context, node, stat) ->
            made.complete(status == KeeperException.Code.OK.intValue() ? stat.getCzxid() : 0),
        null);
    return made;
  }

  private CompletableFuture<Integer> delete(String path) {
    CompletableFuture<Integer> deleted = new CompletableFuture<>();
    client.delete(path, -1, (status, asked, context) -> deleted.complete(status), null);
    return deleted;
  }

  @Override
  public void close() throws InterruptedException {
    client.close();
  }
}
