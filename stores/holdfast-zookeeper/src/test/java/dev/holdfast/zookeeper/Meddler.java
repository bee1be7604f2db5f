package dev.holdfast.zookeeper;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.zookeeper.AsyncCallback.ChildrenCallback;
import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.AsyncCallback.StatCallback;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;

/** A real client of a caller's that lets something happen right before it watches, or asks. */
final class Meddler extends ZooKeeper {

  private final Map<String, Watcher> watchers = new ConcurrentHashMap<>();
  private final AtomicReference<Runnable> beforeQueueWatch = new AtomicReference<>();
  private final AtomicReference<Runnable> beforeNodeWatch = new AtomicReference<>();
  private final Map<String, Around> questions = new ConcurrentHashMap<>();

  /** What happens before a question is sent, and right after. */
  private record Around(Runnable before, Runnable after) {}

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

  /** Around the next question about this node. */
  void duringQuestion(String path, Runnable before, Runnable after) {
    questions.put(path, new Around(before, after));
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
    ask(path, () -> super.getData(path, watcher, callback, context));
  }

  @Override
  public void exists(String path, boolean watch, StatCallback callback, Object context) {
    ask(path, () -> super.exists(path, watch, callback, context));
  }

  private void ask(String path, Runnable question) {
    Around around = questions.remove(path);
    if (around == null) {
      question.run();
    } else {
      around.before.run();
      question.run();
      around.after.run();
    }
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
