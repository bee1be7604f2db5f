package dev.holdfast.examples.recipes;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;

/** One ephemeral node is the lock; all waiters watch it. */
record EphemeralNodeLock(ZooKeeper zooKeeper, String path) {

  // sample: ephemeral
  /** Acquires it, or is notified by the watcher when to try again. */
  boolean tryLock(Watcher again) throws KeeperException, InterruptedException {
    while (true) {
      try {
        zooKeeper.create(path, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
        return true;
      } catch (KeeperException.NodeExistsException taken) {
        if (zooKeeper.exists(path, again) != null) {
          return false;
        }
      }
    }
  }

  void unlock() throws KeeperException, InterruptedException {
    zooKeeper.delete(path, -1);
  }
  // end
}
