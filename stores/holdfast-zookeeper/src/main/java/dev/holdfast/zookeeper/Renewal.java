package dev.holdfast.zookeeper;

import dev.holdfast.leased.ClaimRegistry.ClaimKey;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.Tokens;
import dev.holdfast.spi.Unknown;
import dev.holdfast.spi.support.PerClaim;
import dev.holdfast.zookeeper.ClaimRegistry.OwnClaim;
import dev.holdfast.zookeeper.ClaimRegistry.State;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Refreshes claims: one committed write for a whole batch, and one read of the queue for each lock
 * with a waiting claim.
 *
 * <p>A granted claim needs no read: its node is watched, and ZooKeeper reports a deletion before it
 * answers a later write. If the watch is not set when the write is answered, a read after the write
 * decides: no claim is given up on the word of a single server.
 *
 * <p>Thread-safe.
 */
final class Renewal {

  private final StoreConnection connection;
  private final Ticker ticker;

  Renewal(StoreConnection connection, Ticker ticker) {
    this.connection = connection;
    this.ticker = ticker;
  }

  CompletableFuture<Map<Claim, Standing>> refresh(Collection<Claim> claims) {
    if (claims.isEmpty()) {
      return CompletableFuture.completedFuture(Map.of());
    }
    Claim first = claims.iterator().next();
    Batch batch = new Batch(connection.latest(first.lock()), ticker.nanoTime());
    OwnClaim own = batch.claims.get(ClaimKey.of(first));
    String ahead = own == null ? null : own.onlyAhead;
    return claims.size() == 1 && own != null && ahead != null && batch.mayFollow(own, first, ahead)
        ? batch.follow(own, first, ahead)
        : batch.refresh(claims);
  }

  /** One refresh: sends changes, watches, the write and the reads, in this order. */
  private final class Batch {
    private final Session session;
    private final AsyncZooKeeper zk;
    private final ClaimRegistry claims;
    private final long sent;

    Batch(Session session, long sent) {
      this.session = session;
      this.zk = session.zk;
      this.claims = session.claims;
      this.sent = sent;
    }

    CompletableFuture<Map<Claim, Standing>> refresh(Collection<Claim> asked) {
      Map<Claim, OwnClaim> known = new HashMap<>();
      Map<Claim, CompletableFuture<?>> changes = new HashMap<>();
      for (Claim claim : asked) {
        OwnClaim own = claims.get(ClaimKey.of(claim));
        if (own != null && session.lasts(claim)) {
          known.put(claim, own);
          if (own.is(State.STORED)) {
            changes.put(claim, prepare(own, claim));
          }
        }
      }
      // A claim that is not registered has ended, perhaps with its session: no request is needed.
      CompletableFuture<Stat> written =
          known.isEmpty() ? CompletableFuture.completedFuture(new Stat()) : zk.commit();
      Map<String, CompletableFuture<NodeQueue>> queues = new HashMap<>();
      return PerClaim.STANDINGS.each(
          asked,
          claim -> {
            OwnClaim own = known.get(claim);
            CompletableFuture<Standing> answer =
                own == null
                    ? CompletableFuture.completedFuture(gone())
                    : answer(own, claim, changes.get(claim), written, queues)
                        .thenCompose(standing -> withWanted(own, claim, standing));
            return answer.exceptionally(failure -> failed(claim, failure));
          });
    }

    /** {@return true if the claim waits unchanged and the one ahead may have left} */
    boolean mayFollow(OwnClaim own, Claim claim, String ahead) {
      return own.is(State.STORED)
          && !own.granted
          && session.lasts(claim)
          && own.changed(claim) == null
          && session.wakeups.isUnwatched(own, ahead);
    }

    /**
     * Checks the claim and the only one ahead of it in one transaction: no other claim can have
     * come between. The transaction is committed like any write, so it also renews the claim.
     */
    CompletableFuture<Map<Claim, Standing>> follow(OwnClaim own, Claim claim, String ahead) {
      return zk.check(own.path, ahead)
          .thenCompose(
              existing ->
                  switch (existing) {
                    case FIRST_ONLY -> withWanted(own, claim, granted(own, claim));
                    case NOT_FIRST -> CompletableFuture.completedFuture(missing(own));
                    case BOTH -> behind(own, claim, ahead);
                  })
          .exceptionally(failure -> failed(claim, failure))
          .thenApply(standing -> Map.of(claim, standing));
    }

    private Standing missing(OwnClaim own) {
      session.lost(own, "its node was deleted while it waited");
      return gone();
    }

    private CompletableFuture<Standing> behind(OwnClaim own, Claim claim, String ahead) {
      if (own.behindKeepable) {
        return zk.queue(own.container)
            .thenCompose(queue -> withWanted(own, claim, standing(own, claim, queue)));
      }
      if (!claims.renewed(own, sent)) {
        return CompletableFuture.completedFuture(gone());
      }
      session.wakeups.follow(own, ahead);
      return CompletableFuture.completedFuture(new Queued(1));
    }

    /** Adds whether another claim waits, which the client of a keepable claim must know. */
    private CompletableFuture<Standing> withWanted(OwnClaim own, Claim claim, Standing standing) {
      return standing instanceof Granted granted && (own.keepable || claim.keepable())
          ? session
              .keepable
              .refresh(own, claim.keepable())
              .thenApply(wanted -> new Granted(granted.token(), granted.spares(), wanted))
          : CompletableFuture.completedFuture(standing);
    }

    /** Writes what has changed, and watches the node of a granted claim. */
    private CompletableFuture<?> prepare(OwnClaim own, Claim claim) {
      Claim changed = own.changed(claim);
      CompletableFuture<?> change = CompletableFuture.completedFuture(true);
      if (changed != null) {
        if (changed.weight() < own.claim.weight()) {
          String lowered =
              own.container + "/" + ClaimNode.lowered(session.id(), claim.id(), changed.weight());
          own.lower(lowered);
          change =
              AsyncZooKeeper.unless(
                  zk.create(lowered, CreateMode.EPHEMERAL), Code.NODEEXISTS, new Stat());
        }
        // This also notifies the node's watchers that its weight has changed.
        change =
            change.thenCombine(
                zk.setData(own.path, ClaimRecord.bytes(changed)),
                (before, stat) -> {
                  own.claim = changed;
                  return before;
                });
      }
      if (own.granted && (!own.watched || changed != null)) {
        session.wakeups.watch(own); // its answer comes before that of the write
      }
      return change;
    }

    private CompletableFuture<Standing> answer(
        OwnClaim own,
        Claim claim,
        @Nullable CompletableFuture<?> change,
        CompletableFuture<Stat> written,
        Map<String, CompletableFuture<NodeQueue>> queues) {
      if (own.is(State.JOINING)) {
        return CompletableFuture.completedFuture(new Unknown(null));
      }
      CompletableFuture<?> renewed =
          change == null ? written : written.thenCombine(change, (stat, done) -> stat);
      if (own.granted) {
        return renewed.thenCompose(done -> held(own, claim));
      }
      CompletableFuture<NodeQueue> read = queues.computeIfAbsent(own.container, zk::queue);
      return renewed
          .thenCombine(read, (done, queue) -> queue)
          .thenCompose(
              queue -> resolved(own, queue).thenApply(done -> standing(own, claim, queue)));
    }

    private CompletableFuture<Standing> held(OwnClaim own, Claim claim) {
      if (own.watched || !own.is(State.STORED)) {
        return CompletableFuture.completedFuture(granted(own, claim));
      }
      return AsyncZooKeeper.or(
          session.wakeups.watch(own).thenApply(content -> granted(own, claim)),
          Code.NONODE,
          () -> {
            session.lost(own, "its node was deleted");
            return CompletableFuture.completedFuture(gone());
          });
    }

    /**
     * The connection may be another one by now, with a shorter session. Then the claim is not
     * renewed. Its node is deleted when its ttl has passed, not earlier: its holder relies on the
     * lock until it receives this answer.
     */
    private Standing granted(OwnClaim own, Claim claim) {
      Granted granted =
          own.is(State.STORED) && session.lasts(claim) ? session.grant(own, claim, sent) : null;
      return granted == null ? gone() : granted;
    }

    /** Finds the node of a claim whose join was not answered: the write has decided it. */
    private CompletableFuture<?> resolved(OwnClaim own, NodeQueue queue) {
      List<ClaimNode> nodes = queue.ownedBy(ClaimNode.owner(session.id(), own.key.id()));
      if (!own.is(State.UNRESOLVED) || nodes.isEmpty()) {
        return CompletableFuture.completedFuture(true);
      }
      // Several, if the answers to several joins were lost: one is enough.
      zk.deleteAll(own.container, nodes.subList(1, nodes.size()));
      String path = own.container + "/" + nodes.get(0).name();
      return zk.read(path, null)
          .thenApply(content -> Tokens.ofRevision(content.stat().getCzxid()))
          .thenApply(token -> claims.stored(own, path, token, own.deadline()));
    }

    private Standing standing(OwnClaim own, Claim claim, NodeQueue queue) {
      int index = own.path.isEmpty() ? -1 : queue.indexOf(own.name());
      if (index < 0 || !own.is(State.STORED)) {
        return missing(own);
      }
      if (queue.isGranted(index)) {
        return granted(own, claim);
      }
      return claims.renewed(own, sent) ? session.enqueue(own, queue, index) : gone();
    }

    /** A closed store has no registry any more: the claim may still be stored. */
    private Standing gone() {
      return connection.isClosed() ? new Unknown(null) : Gone.GONE;
    }

    private Standing failed(Claim claim, Throwable failure) {
      // The client also answers so after we have closed it; then the claims may live on.
      return AsyncZooKeeper.is(failure, Code.SESSIONEXPIRED) && session.isExpired()
          ? Gone.GONE
          : new Unknown(connection.noAnswer("refresh", claim.lock(), failure));
    }
  }
}
