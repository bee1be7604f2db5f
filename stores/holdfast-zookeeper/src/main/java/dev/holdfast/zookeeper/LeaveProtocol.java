package dev.holdfast.zookeeper;

import dev.holdfast.StoreException;
import dev.holdfast.leased.ClaimRegistry.ClaimKey;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.support.AllAnswers;
import dev.holdfast.spi.support.PerClaim;
import dev.holdfast.zookeeper.ClaimRegistry.OwnClaim;
import dev.holdfast.zookeeper.ClaimRegistry.State;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException.Code;

/**
 * Removes claims from their queues: leave, evict, discard.
 *
 * <p>Thread-safe.
 */
final class LeaveProtocol {

  /** The number of times that a claim may change between reading it and evicting it. */
  private static final int EVICTIONS = 16;

  private final StoreConnection connection;

  LeaveProtocol(StoreConnection connection) {
    this.connection = connection;
  }

  CompletableFuture<Map<Claim, Left>> leave(Collection<Departure> departures, Deadline deadline) {
    for (Departure departure : departures) {
      if (!departure.linger().isZero()) {
        throw new IllegalArgumentException(
            connection + " does not support linger: it must be zero");
      }
      if (departure.tombstone()) {
        // At once: its join may be waiting for the same session.
        Claim claim = departure.claim();
        connection.tombstones().put(ClaimKey.of(claim), true, claim.ttl());
      }
    }
    return connection
        .session("", deadline)
        .thenCompose(
            session ->
                PerClaim.DEPARTURES.each(
                    departures, departure -> leave(session, departure.claim())));
  }

  private static CompletableFuture<Left> leave(Session session, Claim claim) {
    OwnClaim own = session.claims.get(ClaimKey.of(claim));
    if (own == null) {
      return search(session, claim);
    }
    boolean joining = own.is(State.JOINING);
    session.claims.end(own);
    if (joining) {
      // Once its create is answered, the join has deleted the node.
      return own.joined.handle((answer, failure) -> search(session, claim)).thenCompose(l -> l);
    }
    if (own.path.isEmpty()) {
      session.removeFurther(own);
      return search(session, claim);
    }
    return session.remove(own).thenApply(LeaveProtocol::left);
  }

  /** Searches by its id a claim that is not ours, or whose join was never answered. */
  private static CompletableFuture<Left> search(Session session, Claim claim) {
    String container = NodePaths.container(claim.lock());
    // Requests of an earlier connection are decided before the write that precedes this read.
    return session
        .zk
        .committedQueue(container)
        .thenCompose(queue -> session.zk.deleteAll(container, queue.withId(claim.id())))
        .thenApply(LeaveProtocol::left);
  }

  /** Evicts the granted claims, or the one that has the token. */
  CompletableFuture<Boolean> evict(String lock, long token) {
    return evict(lock, token, EVICTIONS);
  }

  private CompletableFuture<Boolean> evict(String lock, long token, int attempts) {
    AsyncZooKeeper zk = connection.session(lock).zk;
    String container = NodePaths.container(lock);
    CompletableFuture<Boolean> ended =
        zk.committedQueue(container)
            .thenCompose(
                queue ->
                    token == LockStore.ANY_TOKEN
                        ? zk.deleteAll(container, queue.holders())
                        : AllAnswers.any(
                            queue.holders().stream()
                                .map(holder -> deleteIf(zk, container, holder, token))
                                .toList()));
    return AsyncZooKeeper.or(
        ended,
        Code.BADVERSION,
        () -> attempts > 1 ? evict(lock, token, attempts - 1) : failed(lock));
  }

  /**
   * Reads a claim's token before deleting it. No other claim gets its node's name. A downgrade ends
   * the claim's right to later tokens; it changes the version of the node's data.
   */
  private static CompletableFuture<Boolean> deleteIf(
      AsyncZooKeeper zk, String container, ClaimNode holder, long token) {
    String path = container + "/" + holder.name();
    CompletableFuture<Boolean> deleted =
        zk.stat(path)
            .thenCompose(
                stat ->
                    holder.hasToken(token, stat.getCzxid())
                        ? zk.delete(path, stat.getVersion())
                        : CompletableFuture.completedFuture(false));
    return AsyncZooKeeper.unless(deleted, Code.NONODE, false);
  }

  /** Deletes the nodes that cannot be read, unless they have changed since. */
  CompletableFuture<Boolean> discard(String lock) {
    AsyncZooKeeper zk = connection.session(lock).zk;
    String container = NodePaths.container(lock);
    return zk.commit() // all earlier writes are visible after it
        .thenCompose(stat -> zk.childrenIfAny(container))
        .thenCompose(
            names ->
                AllAnswers.any(names.stream().map(name -> discard(zk, container, name)).toList()));
  }

  private static CompletableFuture<Boolean> discard(
      AsyncZooKeeper zk, String container, String name) {
    String path = container + "/" + name;
    if (!ClaimNode.isReadable(name)) {
      return zk.delete(path);
    }
    if (ClaimNode.isFurther(name)) {
      return CompletableFuture.completedFuture(false);
    }
    CompletableFuture<Boolean> discarded =
        zk.read(path, null)
            .thenCompose(
                content ->
                    ClaimRecord.isReadable(content.data())
                        ? CompletableFuture.completedFuture(false)
                        : zk.delete(path, content.stat().getVersion()));
    return AsyncZooKeeper.unless(discarded, Code.NONODE, false);
  }

  private CompletableFuture<Boolean> failed(String lock) {
    return CompletableFuture.failedFuture(
        new StoreException(
            lock,
            "The holder of '" + lock + "' at " + connection + " changes too often to be evicted"));
  }

  private static Left left(boolean existed) {
    return existed ? Left.LEFT : Left.GONE;
  }
}
