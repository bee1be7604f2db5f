package dev.holdfast.zookeeper;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.zookeeper.AsyncCallback.ChildrenCallback;
import org.apache.zookeeper.AsyncCallback.Create2Callback;
import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;

/** A real client of a caller's that lets something happen right before it watches, or asks. */
public final class Meddler extends ZooKeeper {

  private final Map<String, Watcher> watchers = new ConcurrentHashMap<>();
  private final AtomicReference<Runnable> beforeQueueWatch = new AtomicReference<>();
  private final AtomicReference<Runnable> beforeNodeWatch = new AtomicReference<>();
  private final Map<String, Around> questions = new ConcurrentHashMap<>();

  /** What happens before a question is sent, and right after. */
  private record Around(Runnable before, Runnable after) {}

  public Meddler(String connectString) throws IOException {
    super(connectString, 10_000, event -> {});
  }

  /** Before the next watch of a whole queue is sent. */
  public void beforeQueueWatch(Runnable meddling) {
    beforeQueueWatch.set(meddling);
  }

  /** Before the next watch of a single node is sent. */
  public void beforeNodeWatch(Runnable meddling) {
    beforeNodeWatch.set(meddling);
  }

  /**
   * Around the next question.
   *
   * @param asked the path of a node that is read, or {@code create} and the path
   */
  public void duringQuestion(String asked, Runnable before, Runnable after) {
    questions.put(asked, new Around(before, after));
  }

  /** Claims that a node is gone, as a server does that has not caught up. */
  public void claimDeleted(String path) {
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
  public void create(
      String path,
      byte[] data,
      List<ACL> acl,
      CreateMode mode,
      Create2Callback callback,
      Object context) {
    ask("create " + path, () -> super.create(path, data, acl, mode, callback, context));
  }

  private void ask(String asked, Runnable question) {
    Around around = questions.remove(asked);
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
