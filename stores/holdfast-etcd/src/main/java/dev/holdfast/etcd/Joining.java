package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.StoreException;
import dev.holdfast.etcd.LeaseClass.Armed;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Mismatch;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Ticker;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/*
 * A join enters by one transaction, on a condition under which the answer is right whatever has
 * happened since the queue was read:
 *
 *   1. the queue is empty: then the claim is granted;
 *   2. all in the queue want the whole capacity, of the same, just as this one does: then it enters
 *      at the end, whoever they are;
 *   3. nothing has joined since it was read: then a claim that fitted fits, for those ahead only
 *      get fewer;
 *   4. the first in line is still there: then the lock is still used as what it was, and the claim
 *      enters at the end, where no condition is needed.
 *
 * The first two are tried without reading, and in one request, so that a mutex takes one round trip
 * to join, free or not. But the second needs the lease of those who wait: a client that has not
 * waited for long has none, and does without until it has to.
 *
 * If no condition holds the transaction gives the queue as it is now, and the join goes on from
 * there. All are conditions on "no tombstone, and no key of ours", so a join carried out twice
 * enters once.
 */

/** How a claim enters its queue. */
final class Joining {

  private final Calls calls;
  private final Keys keys;
  private final Leases leases;
  private final Roll roll;
  private final Settling settling;
  private final Ticker ticker;

  Joining(Calls calls, Keys keys, Leases leases, Roll roll, Settling settling, Ticker ticker) {
    this.calls = calls;
    this.keys = keys;
    this.leases = leases;
    this.roll = roll;
    this.settling = settling;
    this.ticker = ticker;
  }

  CompletableFuture<JoinAnswer> join(Claim claim, boolean wait) {
    return new Join(claim, wait, calls.deadline()).unread();
  }

  private final class Join {
    private final Claim claim;
    private final boolean wait;
    private final Deadline deadline;
    private final ByteString key;
    private final ByteString tombstone;
    private final ByteString first;
    private final ByteString after;
    private final ByteString record;

    Join(Claim claim, boolean wait, Deadline deadline) {
      this.claim = claim;
      this.wait = wait;
      this.deadline = deadline;
      key = keys.claim(claim);
      tombstone = keys.tombstone(claim);
      first = keys.first(claim.lock());
      after = keys.after(claim.lock());
      record = Entry.record(claim, ticker.wallMicros());
    }

    CompletableFuture<JoinAnswer> unread() {
      roll.call(key, claim); // each time: it is struck when it is found to have ended
      LeaseClass held = leases.of(claim.ttl());
      return held.arm(deadline)
          .thenCompose(
              first ->
                  behind()
                      .thenCompose(
                          then ->
                              Failures.orIfLeaseGone(
                                  send(unread(first.id(), then.id()))
                                      .thenCompose(done -> answer(done, first, then)),
                                  deadline,
                                  () -> {
                                    if (then.id() == 0) {
                                      held.ended(first.id());
                                    } else { // one of them; without this one, it shows which
                                      leases.of(claim.waitingTtl()).ended(then.id());
                                    }
                                    return unread();
                                  })));
    }

    /** The lease for waiting, if it is at hand and nobody who wants all fits beside another. */
    private CompletableFuture<Armed> behind() {
      return wait && claim.weight() == claim.capacity()
          ? leases.armIfKept(claim.waitingTtl(), deadline)
          : CompletableFuture.completedFuture(Armed.NONE);
    }

    private TxnRequest unread(long held, long waiting) {
      TxnRequest.Builder txn =
          ifNew()
              .addCompare(Ops.empty(first, after))
              .addSuccess(put(held))
              .addFailure(Ops.get(tombstone));
      if (waiting != 0) {
        txn.addFailure(
            Ops.nested(
                ifNew()
                    .addAllCompare(Ops.allLike(first, after, Entry.start(claim)))
                    .addSuccess(put(waiting))));
      }
      return txn.addFailure(Ops.get(first, after)).build();
    }

    private CompletableFuture<JoinAnswer> answer(TxnResponse done, Armed held, Armed waiting) {
      long revision = done.getHeader().getRevision();
      if (done.getSucceeded()) {
        return ifLive(done, held, () -> completed(settling.granted(claim, revision, revision)));
      }
      boolean behind = done.getResponses(1).getResponseTxn().getSucceeded();
      return behind
          ? ifLive(done, waiting, () -> entered(queue(done), claim.waitingTtl()))
          : notEntered(done);
    }

    private CompletableFuture<JoinAnswer> enter(Duration ttl, Compare condition) {
      LeaseClass leaseClass = leases.of(ttl);
      return leaseClass
          .arm(deadline)
          .thenCompose(
              armed ->
                  Failures.orIfLeaseGone(
                      send(entering(condition, armed.id()))
                          .thenCompose(
                              done ->
                                  done.getSucceeded()
                                      ? ifLive(done, armed, () -> entered(queue(done), ttl))
                                      : notEntered(done)),
                      deadline,
                      () -> {
                        leaseClass.ended(armed.id());
                        return enter(ttl, condition);
                      }));
    }

    private CompletableFuture<TxnResponse> send(TxnRequest entering) {
      if (deadline.isOver()) {
        return CompletableFuture.failedFuture(
            new StoreException(
                claim.lock(),
                "too much coming and going at '"
                    + claim.lock()
                    + "' to join it in time; nothing has been entered"));
      }
      return calls.txn("join", claim.lock(), entering, deadline, () -> roll.doubt(key));
    }

    private TxnRequest entering(Compare condition, long lease) {
      return ifNew()
          .addCompare(condition)
          .addSuccess(put(lease))
          .addSuccess(Ops.get(first, after))
          .addFailure(Ops.get(tombstone))
          .addFailure(Ops.get(first, after))
          .build();
    }

    private TxnRequest.Builder ifNew() {
      return TxnRequest.newBuilder()
          .addCompare(Ops.createdAt(tombstone, 0))
          .addCompare(Ops.createdAt(key, 0));
    }

    private RequestOp put(long lease) {
      return Ops.put(key, record, lease);
    }

    /**
     * The answer if the lease is renewed, which goes on side by side with the transaction. If not
     * it may have ended, and the key with it: looks for it.
     */
    private CompletableFuture<JoinAnswer> ifLive(
        TxnResponse done, Armed armed, Supplier<CompletableFuture<JoinAnswer>> answer) {
      return armed
          .renewal()
          .thenCompose(
              renewal ->
                  renewal.alive() && renewal.term() >= done.getHeader().getRaftTerm()
                      ? answer.get()
                      : unread());
    }

    /** The last thing that a transaction does is to read the queue. */
    private static Queue queue(TxnResponse done) {
      return Queue.of(
          done.getResponses(done.getResponsesCount() - 1).getResponseRange(),
          done.getHeader().getRevision());
    }

    private CompletableFuture<JoinAnswer> notEntered(TxnResponse done) {
      boolean buried = done.getResponses(0).getResponseRange().getKvsCount() > 0;
      return buried ? completed(refused()) : goOn(queue(done));
    }

    private CompletableFuture<JoinAnswer> entered(Queue queue, Duration ttl) {
      int index = queue.indexOf(key);
      boolean granted = index < queue.admitted();
      if (!ttl.equals(granted ? claim.ttl() : claim.waitingTtl())) {
        return settled(queue); // those ahead have left in the same moment: it has to change leases
      }
      return completed(
          granted
              ? settling.granted(claim, queue.revision(), queue.revision())
              : settling.queued(claim, queue, index));
    }

    private CompletableFuture<JoinAnswer> goOn(Queue queue) {
      Entry known = queue.find(key);
      if (known != null) {
        return known.left() ? completed(refused()) : settled(queue);
      }
      if (queue.isEmpty()) {
        return unread();
      }
      Entry head = queue.head();
      if (head.kind() != claim.kind() || head.capacity() != claim.capacity()) {
        roll.strike(key);
        return completed(new Mismatch(head.kind(), head.capacity()));
      }
      if (queue.fits(claim)) {
        return enter(claim.ttl(), Ops.unjoinedSince(first, after, queue.revision()));
      }
      if (!wait) {
        roll.strike(key);
        return completed(new Busy(head.owner()));
      }
      return enter(claim.waitingTtl(), Ops.createdAt(head.key(), head.created()));
    }

    private CompletableFuture<JoinAnswer> settled(Queue queue) {
      return settling
          .settle(claim, queue, deadline)
          .thenCompose(
              (Standing standing) -> {
                if (standing instanceof Granted granted) {
                  return completed(granted);
                }
                if (standing instanceof Queued queued) {
                  return completed(queued);
                }
                return unread(); // it ended before its ttl was armed anew
              });
    }

    private JoinAnswer refused() {
      roll.strike(key);
      return new Busy(null);
    }

    private CompletableFuture<JoinAnswer> completed(JoinAnswer answer) {
      return CompletableFuture.completedFuture(answer);
    }
  }
}
