package dev.holdfast.zookeeper;

import dev.holdfast.leased.ClaimRegistry.ClaimKey;
import dev.holdfast.spi.Observers;
import dev.holdfast.zookeeper.ClaimRegistry.OwnClaim;
import dev.holdfast.zookeeper.ClaimRegistry.State;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher;
import org.jspecify.annotations.Nullable;

/**
 * Wakes waiting claims when their turn may have come, by watches on the nodes that block them; and
 * granted claims when their node is deleted.
 *
 * <p>A claim blocked by one node is woken when that node changes. A claim blocked by several would
 * be woken by each of them, mostly in vain: there the queue is read first, and only claims whose
 * turn has come are woken. The queue is also read after such watches are set, to catch changes that
 * happened before.
 *
 * <p>Thread-safe; events and replies come on ZooKeeper's event thread, in order.
 */
final class Wakeups {

  /** Beyond this number of watches for one waiter, one watch on the whole queue is cheaper. */
  private static final int MAX_BLOCKERS = 32;

  private final AsyncZooKeeper zk;
  private final Watcher watcher;
  private final ClaimRegistry claims;
  private final Observers observers;

  // Mutable state, by the paths of nodes and queues
  private final ConcurrentHashMap<String, Watch> watched = new ConcurrentHashMap<>();

  /**
   * A watch of a node or a queue.
   *
   * @param alone true if it watches the only blocker of a claim
   * @param follower the claim for which a queue is watched, unless there are several
   */
  private record Watch(boolean alone, @Nullable OwnClaim follower) {

    Watch(boolean alone) {
      this(alone, null);
    }
  }

  Wakeups(AsyncZooKeeper zk, Watcher watcher, ClaimRegistry claims, Observers observers) {
    this.zk = zk;
    this.watcher = watcher;
    this.claims = claims;
    this.observers = observers;
  }

  /** Watches the node of a granted claim; fails if the node is missing. */
  CompletableFuture<AsyncZooKeeper.Content> watch(OwnClaim own) {
    return zk.watch(own.path, watcher, () -> own.watched = true);
  }

  /** Watches the node of a claim that has been held for a while. */
  void watchHolder(OwnClaim own) {
    if (own.needsWatch()) {
      var unused =
          watch(own)
              .whenComplete(
                  (content, failure) -> {
                    // The refresh after a hint discovers the loss. After another failure, the next
                    // renewal tries again.
                    if (failure != null && AsyncZooKeeper.is(failure, Code.NONODE)) {
                      observers.wake(own.key.lock());
                    }
                  });
    }
  }

  /** Watches what blocks a waiting claim, if the lock is observed. */
  void follow(OwnClaim own, NodeQueue queue, int index) {
    String lock = own.key.lock();
    Watch known =
        watched.computeIfPresent(
            own.container, (path, watch) -> watch.follower == own ? watch : new Watch(watch.alone));
    if (observers.has(lock) && known == null && watchBlockers(lock, queue, index)) {
      readQueue(lock);
    }
  }

  /** The same for a claim with only this node ahead. */
  void follow(OwnClaim own, String onlyAhead) {
    String lock = own.key.lock();
    if (observers.has(lock)) {
      watchNode(lock, onlyAhead, true);
    }
  }

  /**
   * Reads the queue of a claim that has one other ahead, or is keepable, and watches the queue with
   * the same request: its next change is most likely this claim's turn, or the next claim.
   */
  CompletableFuture<NodeQueue> readAndWatch(OwnClaim own) {
    String container = own.container;
    if (!observers.has(own.key.lock())
        || watched.putIfAbsent(container, new Watch(true, own)) != null) {
      return zk.queue(container);
    }
    return zk.watchQueue(container, watcher)
        .whenComplete(
            (queue, failure) -> {
              if (failure != null) {
                watched.remove(container);
              }
            });
  }

  /**
   * @return true if no blocker of this claim is watched: it has changed, or the lock is not
   *     observed
   */
  boolean isUnwatched(OwnClaim own, String onlyAhead) {
    return !watched.containsKey(own.container) && !watched.containsKey(onlyAhead);
  }

  /** A watched node has changed or was deleted. */
  void nodeChanged(String path) {
    Watch watch = watched.remove(path);
    OwnClaim own = claims.at(path);
    if (own != null) {
      own.watched = false; // the next renewal checks whether it still exists
      observers.wake(own.key.lock());
    } else if (watch != null) {
      changed(NodePaths.lockOf(path), watch);
    }
  }

  /** Claims have entered or left a watched queue, or it was deleted. */
  void queueChanged(String container) {
    Watch watch = watched.remove(container);
    OwnClaim follower = watch == null ? null : watch.follower;
    if (follower == null || !follower.granted) {
      changed(NodePaths.lockOfContainer(container), watch);
    } else if (follower.keepable && follower.is(State.STORED)) {
      follower.alone = false;
      observers.wake(follower.key.lock()); // the change is most likely a later claim
    }
  }

  /** {@return true if no claim has joined a granted one since its queue was read} */
  boolean isAlone(OwnClaim own) {
    Watch watch = watched.get(own.container);
    return own.alone && watch != null && watch.follower == own;
  }

  private void changed(String lock, @Nullable Watch watch) {
    if (watch != null && watch.alone) {
      observers.wake(lock);
    } else {
      readQueue(lock);
    }
  }

  /** The client has dropped all watches without an event. */
  void forget() {
    watched.clear();
    claims.all().forEach(own -> own.watched = false);
  }

  /** {@return the paths that are watched now} */
  Set<String> watched() {
    Set<String> all = new HashSet<>(watched.keySet());
    claims.all().stream().filter(own -> own.watched).forEach(own -> all.add(own.path));
    return all;
  }

  private void readQueue(String lock) {
    if (observers.has(lock)) {
      zk.queue(NodePaths.container(lock))
          .whenComplete((queue, failure) -> wakeNext(lock, queue, failure));
    }
  }

  /** Wakes the claims of a lock if the turn of one has come, and watches what blocks the others. */
  private void wakeNext(String lock, NodeQueue queue, @Nullable Throwable failure) {
    if (failure != null) {
      observers.wake(lock); // waiters must read for themselves, and report what cannot be read
      return;
    }
    boolean turn = false;
    boolean again = false;
    int granted = queue.granted();
    for (int i = 0; i < queue.nodes().size(); i++) {
      OwnClaim own = claims.get(new ClaimKey(lock, queue.nodes().get(i).id()));
      if (own != null && !own.granted && own.name().equals(queue.nodes().get(i).name())) {
        turn |= i < granted;
        again |= i >= granted && watchBlockers(lock, queue, i);
      }
    }
    if (turn) {
      observers.wake(lock);
    }
    if (again) {
      readQueue(lock);
    }
  }

  /** {@return true if a new watch was set, so the queue must be read again} */
  private boolean watchBlockers(String lock, NodeQueue queue, int index) {
    List<ClaimNode> blockers = queue.blockers(index);
    if (blockers.size() > MAX_BLOCKERS) {
      watchQueue(lock);
      return false; // its reply is a read of the queue
    }
    boolean alone = blockers.size() == 1;
    boolean fresh = false;
    for (ClaimNode node : blockers) {
      fresh |= watchNode(lock, NodePaths.container(lock) + "/" + node.name(), alone);
    }
    // A claim of weight one can only leave, and the watch of a missing node fails at once.
    return fresh && !(alone && blockers.get(0).weight() == 1);
  }

  private boolean watchNode(String lock, String path, boolean alone) {
    if (watched.putIfAbsent(path, new Watch(alone)) != null) {
      watched.replace(path, new Watch(false), new Watch(alone));
      return false;
    }
    zk.read(path, watcher)
        .whenComplete(
            (content, failure) -> {
              if (failure != null) {
                watched.remove(path);
                observers.wake(lock); // it is gone already
              }
            });
    return true;
  }

  private void watchQueue(String lock) {
    String container = NodePaths.container(lock);
    if (watched.putIfAbsent(container, new Watch(false)) == null) {
      zk.watchQueue(container, watcher)
          .whenComplete(
              (queue, failure) -> {
                if (failure != null) {
                  watched.remove(container);
                }
                wakeNext(lock, queue, failure);
              });
    }
  }
}
