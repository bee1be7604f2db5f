package dev.holdfast.etcd;

import static java.util.concurrent.CompletableFuture.completedFuture;

import com.google.protobuf.ByteString;
import dev.holdfast.etcd.EtcdLeases.EtcdLease;
import dev.holdfast.leased.ClaimRecord;
import dev.holdfast.leased.ClaimRegistry.ClaimKey;
import dev.holdfast.leased.ClaimRegistry.Place;
import dev.holdfast.leased.HolderWatch;
import dev.holdfast.leased.KeptLease.LeaseEndedException;
import dev.holdfast.leased.Standings;
import dev.holdfast.leased.StoredQueue;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Mismatch;
import dev.holdfast.spi.support.Attempts.Purpose;
import dev.holdfast.spi.support.Failures;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/*
 * A join enters by one transaction, under a condition that makes its answer right whatever has
 * happened since the queue was read:
 *
 *   1. The queue is empty: the claim is granted.
 *   2. All claims in the queue need the whole capacity, like this one, and have its kind: it enters
 *      at the end, behind any of them.
 *   3. Nothing has joined since the queue was read: a claim that fitted still fits, for the claims
 *      ahead only become fewer.
 *   4. The first claim is still there: the lock still has the same kind and capacity, and the claim
 *      enters at the end, which needs no further condition.
 *
 * The first two are tried without reading, in one request, so that joining a mutex takes one round
 * trip, free or not. But the second needs the lease of waiters: a client that has not waited for long
 * has none, and does without it until it must wait.
 *
 * If no condition holds, the transaction returns the queue as it is now, and the join continues from
 * there.
 *
 * A claim enters once, although the join may be sent twice and carried out twice, even much later:
 * under each condition there must be no tombstone, no claim on that key, and no equal record in the
 * queue. A record has the time when its join began, so the last check does not notice what another
 * join of the same claim has entered. So a claim that may be there already is not tried without
 * reading.
 */

/** How a claim enters its queue. Thread-safe. */
final class JoinProtocol {

  private final EtcdKeyCalls keyCalls;
  private final Calls calls;
  private final FreeKeys freeKeys;
  private final HolderWatch holders;
  private final Standings<EtcdLease> standings;
  private final LeaveProtocol leaves;

  JoinProtocol(
      EtcdKeyCalls keyCalls,
      HolderWatch holders,
      Standings<EtcdLease> standings,
      LeaveProtocol leaves) {
    this.keyCalls = keyCalls;
    this.calls = keyCalls.calls;
    this.freeKeys = new FreeKeys(keyCalls.keys);
    this.holders = holders;
    this.standings = standings;
    this.leaves = leaves;
  }

  CompletableFuture<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
    return new Join(claim, wait, deadline).enterUnread();
  }

  private final class Join {
    private final Claim claim;
    private final boolean wait;
    private final Deadline deadline;
    private final ByteString tombstone;
    private final Keys.Range queue;
    private final ByteString record;
    private final String firstKey;

    // Mutable state: one request comes after the other
    private boolean tried;
    private volatile boolean repeated;

    Join(Claim claim, boolean wait, Deadline deadline) {
      this.claim = claim;
      this.wait = wait;
      this.deadline = deadline;
      tombstone = keyCalls.keys.tombstone(claim);
      queue = keyCalls.keys.queue(claim.lock());
      firstKey = keyCalls.keys.claim(claim.lock(), FreeKeys.FIRST);
      record = ByteString.copyFromUtf8(keyCalls.format.joining(claim, calls.ticker.wallMicros()));
    }

    CompletableFuture<JoinAnswer> enterUnread() {
      // Each time: a claim that is found to have ended is not registered any more.
      boolean known = keyCalls.registry.joining(claim, deadline);
      boolean mayBeThere = known || tried;
      tried = true;
      if (known) {
        standings.drop(claim); // it may not be where it was
      }
      if (repeated) {
        mayRepeat();
      }
      CompletableFuture<EtcdLease> held = keyCalls.leases.of(claim.ttl()).renewed(deadline);
      // Of claims that need the whole capacity, none fits beside another.
      return wait && !mayBeThere && claim.weight() == claim.capacity()
          ? held.thenCombine(
                  keyCalls.leases.renewedIfKept(claim.waitingTtl(), deadline), this::enterUnread)
              .thenCompose(answer -> answer)
          : held.thenCompose(lease -> enterUnread(lease, null));
    }

    private CompletableFuture<JoinAnswer> enterUnread(EtcdLease held, @Nullable EtcdLease waiting) {
      TxnRequest.Builder txn =
          TxnRequest.newBuilder()
              .addCompare(Keys.createdAt(tombstone, 0))
              .addCompare(queue.unjoinedSince(0))
              .addSuccess(Keys.put(ByteString.copyFromUtf8(firstKey), record, held.number))
              .addFailure(Keys.get(tombstone));
      if (waiting != null) {
        ByteString key = Keys.bytes(freeKeys.usual(claim.lock()));
        txn.addFailure(
            Keys.nested(
                ifNew(key)
                    .addAllCompare(queue.allLike(EtcdRecordFormat.start(claim)))
                    .addSuccess(Keys.put(key, record, waiting.number))));
      }
      txn.addFailure(queue.get());
      return LeaseEndedException.otherwise(
          send(txn).thenCompose(done -> answer(done, held, waiting)),
          deadline,
          () -> {
            if (waiting == null) {
              keyCalls.leases.of(claim.ttl()).ended(held);
            } else { // one of them; the attempt without this one shows which
              keyCalls.leases.of(claim.waitingTtl()).ended(waiting);
            }
            return enterUnread();
          });
    }

    private CompletableFuture<JoinAnswer> answer(
        TxnResponse done, EtcdLease held, @Nullable EtcdLease waiting) {
      if (done.getSucceeded()) {
        long revision = done.getHeader().getRevision();
        return held.isConfirmedIn(done.getHeader().getRaftTerm())
            ? completedFuture(
                holders.granted(claim, new Place(firstKey, revision), revision, false))
            : enterUnread();
      }
      if (waiting != null && done.getResponses(1).getResponseTxn().getSucceeded()) {
        return entered(done, waiting, claim.waitingTtl());
      }
      return notEntered(done, waiting == null ? List.of(held) : List.of(held, waiting));
    }

    private CompletableFuture<JoinAnswer> enter(Duration ttl, String key, List<Compare> condition) {
      return keyCalls
          .leases
          .of(ttl)
          .on(
              deadline,
              lease ->
                  send(entering(Keys.bytes(key), condition, lease))
                      .thenCompose(
                          done ->
                              done.getSucceeded()
                                  ? entered(done, lease, ttl)
                                  : notEntered(done, List.of(lease))));
    }

    private TxnRequest.Builder entering(ByteString key, List<Compare> condition, EtcdLease lease) {
      return ifNew(key)
          .addAllCompare(condition)
          .addSuccess(Keys.put(key, record, lease.number))
          .addSuccess(queue.get())
          .addFailure(Keys.get(tombstone))
          .addFailure(queue.get());
    }

    /** There are other claims in the queue, and none on this key. */
    private TxnRequest.Builder ifNew(ByteString key) {
      return TxnRequest.newBuilder()
          .addCompare(Keys.createdAt(tombstone, 0))
          .addCompare(Keys.createdAt(key, 0))
          .addCompare(queue.noneIs(record));
    }

    private CompletableFuture<TxnResponse> send(TxnRequest.Builder entering) {
      return deadline.isOver()
          ? CompletableFuture.failedFuture(Failures.contention(claim.lock()))
          : calls.txn(
              new Purpose("join", claim.lock(), deadline, false, this::mayRepeat),
              entering.build());
    }

    private boolean mayRepeat() {
      repeated = true;
      return keyCalls.registry.repeating(claim);
    }

    private CompletableFuture<JoinAnswer> entered(TxnResponse done, EtcdLease lease, Duration ttl) {
      if (!lease.isConfirmedIn(done.getHeader().getRaftTerm())) {
        return enterUnread(); // the lease may end early: finds the claim and moves it
      }
      StoredQueue now = keyCalls.last(done);
      int index = now.indexOf(claim);
      ClaimRecord entered = now.claims().get(index);
      boolean granted = index < now.admitted();
      if (!entered.stored().lease().equals(lease.id())
          || !ttl.equals(granted ? claim.ttl() : claim.waitingTtl())) {
        return settle(now, List.of(lease)); // the claims ahead have just left: it changes leases
      }
      return completedFuture(
          granted
              ? holders.granted(claim, entered.place(), now.revision(), false)
              : standings.queued(claim, now, index));
    }

    private CompletableFuture<JoinAnswer> notEntered(TxnResponse done, List<EtcdLease> renewed) {
      if (!Keys.found(done).isEmpty()) {
        return refused();
      }
      StoredQueue now = keyCalls.last(done);
      int index = now.indexOf(claim);
      if (index >= 0) {
        return now.claims().get(index).hasLeft() ? refused() : settle(now, renewed);
      }
      if (now.isEmpty()) {
        return enterUnread();
      }
      ClaimRecord head = now.head();
      if (!head.agreesWith(claim.kind(), claim.capacity())) {
        return out(new Mismatch(head.kind(), head.capacity()));
      }
      String key = freeKeys.free(claim.lock(), now);
      if (now.fits(claim)) {
        return enter(claim.ttl(), key, List.of(queue.unjoinedSince(now.revision())));
      }
      if (!wait) {
        return now.isBehindKeepable(now.claims().size())
            ? enter(claim.waitingTtl(), key, alone(now))
            : out(new Busy(head.owner()));
      }
      // Claims that all need the whole capacity do not depend on the first, which changes quickly.
      String start = EtcdRecordFormat.start(claim);
      boolean alike =
          claim.weight() == claim.capacity()
              && now.claims().stream().allMatch(other -> other.stored().text().startsWith(start));
      return enter(
          claim.waitingTtl(),
          key,
          alike ? queue.allLike(start) : List.of(Keys.isThere(head.place())));
    }

    /** Its client may keep the only claim idle, and no other one waits for what it does. */
    private List<Compare> alone(StoredQueue now) {
      return List.of(
          Keys.isUnchanged(now.head().stored()),
          queue.unjoinedSince(now.head().stored().created()));
    }

    private CompletableFuture<JoinAnswer> settle(StoredQueue now, List<EtcdLease> renewed) {
      return standings
          .settle(claim, now, renewed, deadline)
          .thenCompose(
              standing ->
                  standing instanceof JoinAnswer stays
                      ? completedFuture(stays)
                      : enterUnread()); // it ended before it was renewed
    }

    /** The claim stays out, and so must a join of it that may arrive late. */
    private CompletableFuture<JoinAnswer> out(JoinAnswer answer) {
      if (repeated) {
        leaves.withdraw(Departure.withTombstone(claim));
      } else {
        keyCalls.registry.gone(ClaimKey.of(claim));
      }
      return completedFuture(answer);
    }

    private CompletableFuture<JoinAnswer> refused() {
      keyCalls.registry.gone(ClaimKey.of(claim));
      return completedFuture(new Busy(null));
    }
  }
}
