package dev.holdfast.zookeeper;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.zookeeper.AsyncCallback.ChildrenCallback;
import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;

/** A real client of a caller's that lets something happen right before it watches. */
final class Meddler extends ZooKeeper {

  private final Map<String, Watcher> watchers = new ConcurrentHashMap<>();
  private final AtomicReference<Runnable> beforeQueueWatch = new AtomicReference<>();
  private final AtomicReference<Runnable> beforeNodeWatch = new AtomicReference<>();

  Meddler(String connectString) throws IOException {
    super(connectString, 10_000, event -> {});
  }

  /** Before the next watch of a whole queue is sent. */
  void beforeQueueWatch(Runnable meddling) {
    beforeQueueWatch.set(meddling);
  }

  /** Before the next watch of a single node is sent. */
  void beforeNodeWatch(Runnable meddling) {
    beforeNodeWatch.set(meddling);
  }

  /** Claims that a node is gone, as a server does that has not caught up. */
  void claimDeleted(String path) {
    Watcher watcher = watchers.get(path);
    if (watcher == null) {
      throw new IllegalStateException("nobody watches " + path);
    }
    watcher.process(new WatchedEvent(EventType.NodeDeleted, KeeperState.SyncConnected, path));
  }

  @Override
  public void getData(String path, Watcher watcher, DataCallback callback, Object context) {
    if (watcher != null) {
      watchers.put(path, watcher);
      meddle(beforeNodeWatch);
    }
    super.getData(path, watcher, callback, context);
  }

  @Override
  public void getChildren(String path, Watcher watcher, ChildrenCallback callback, Object context) {
    if (watcher != null) {
      meddle(beforeQueueWatch);
    }
    super.getChildren(path, watcher, callback, context);
  }

  private static void meddle(AtomicReference<Runnable> once) {
    Runnable meddling = once.getAndSet(null);
    if (meddling != null) {
      meddling.run();
    }
  }
}
