package dev.holdfast.examples.recipes;

import java.util.Collections;
import java.util.List;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;

/** Numbered nodes below a parent; the lowest has the lock; everybody watches the parent. */
final class SequentialNodeLock {

  private final ZooKeeper zooKeeper;
  private final String parent;
  private String mine = "";

  SequentialNodeLock(ZooKeeper zooKeeper, String parent) {
    this.zooKeeper = zooKeeper;
    this.parent = parent;
  }

  // sample: sequential
  void enter() throws KeeperException, InterruptedException {
    mine =
        zooKeeper.create(
            parent + "/child-", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL_SEQUENTIAL);
  }

  /** Returns whether it is our turn; otherwise the watcher says when to ask again. */
  boolean isLocked(Watcher again) throws KeeperException, InterruptedException {
    List<String> children = zooKeeper.getChildren(parent, again);
    return mine.endsWith("/" + Collections.min(children));
  }

  void unlock() throws KeeperException, InterruptedException {
    zooKeeper.delete(mine, -1);
  }
  // end
}
