package dev.holdfast.zookeeper;

import dev.holdfast.UnreadableRecordException;
import dev.holdfast.spi.Observers;
import dev.holdfast.spi.support.Failures;
import dev.holdfast.zookeeper.ClaimRegistry.OwnClaim;
import dev.holdfast.zookeeper.ClaimRegistry.State;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;

/**
 * Claims that their clients may keep idle. A second node marks such a claim, so that others see it
 * when they read the queue. As long as a granted claim is marked, its client watches the queue, and
 * learns when another claim joins.
 *
 * <p>Thread-safe.
 */
final class KeepableClaims {

  private final AsyncZooKeeper zk;
  private final Wakeups wakeups;
  private final Observers observers;

  KeepableClaims(AsyncZooKeeper zk, Wakeups wakeups, Observers observers) {
    this.zk = zk;
    this.wakeups = wakeups;
    this.observers = observers;
  }

  /**
   * Watches the queue of a marked claim that was granted while it joined; its answer need not wait.
   */
  void granted(OwnClaim own) {
    String lock = own.key.lock();
    if (observers.has(lock)) {
      wakeups
          .readAndWatch(own)
          .thenAccept(
              queue -> {
                if (queue.isWaitedFor()) {
                  observers.wake(lock); // the watch came too late to report that claim
                } else {
                  own.alone = true;
                }
              });
    }
  }

  /**
   * Marks a granted claim as its client asks, unless another claim waits.
   *
   * @return true if another claim waits
   */
  CompletableFuture<Boolean> refresh(OwnClaim own, boolean keepable) {
    if (keepable && wakeups.isAlone(own)) {
      return CompletableFuture.completedFuture(false);
    }
    CompletableFuture<NodeQueue> read =
        keepable ? wakeups.readAndWatch(own) : zk.queue(own.container);
    return read.thenCompose(queue -> refresh(own, keepable, queue))
        .exceptionallyCompose(
            failure ->
                Failures.unwrap(failure) instanceof UnreadableRecordException
                    ? remove(own).thenApply(done -> true) // what cannot be read may well wait
                    : CompletableFuture.failedFuture(failure));
  }

  private CompletableFuture<Boolean> refresh(OwnClaim own, boolean keepable, NodeQueue queue) {
    boolean wanted = queue.isWaitedFor();
    int index = queue.indexOf(own.name());
    if (index < 0 || !own.is(State.STORED)) {
      return CompletableFuture.completedFuture(wanted); // it has ended meanwhile
    }
    boolean marked = queue.nodes().get(index).keepable();
    own.keepable = marked; // also if the answer to the mark was lost
    if (marked && !own.is(State.STORED)) {
      remove(own); // it has left meanwhile
    }
    if (wanted || !keepable) {
      return (marked ? remove(own) : CompletableFuture.completedFuture(true))
          .thenApply(done -> wanted);
    }
    own.alone = marked;
    return marked
        ? CompletableFuture.completedFuture(false)
        : mark(own).thenCompose(done -> refresh(own, true));
  }

  /** Its own watch reports this change too, so the queue is to be read again. */
  private CompletableFuture<?> mark(OwnClaim own) {
    return AsyncZooKeeper.unless(
            zk.create(path(own), CreateMode.EPHEMERAL), Code.NODEEXISTS, new Stat())
        .thenAccept(
            done -> {
              own.keepable = true;
              if (!own.is(State.STORED)) {
                remove(own); // it has left meanwhile
              }
            });
  }

  /** Removes the mark. */
  CompletableFuture<Boolean> remove(OwnClaim own) {
    own.keepable = false; // first: its own watch must not report this change
    own.alone = false;
    return zk.delete(path(own));
  }

  private String path(OwnClaim own) {
    return own.container + "/" + ClaimNode.keepable(zk.client().getSessionId(), own.key.id());
  }
}
