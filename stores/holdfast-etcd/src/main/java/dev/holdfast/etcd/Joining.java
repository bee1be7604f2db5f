package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.StoreException;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Mismatch;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Ticker;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/*
 * A join enters by one transaction, on a condition under which the answer is right whatever has
 * happened since the queue was read:
 *
 *   1. the queue is empty: then the claim is granted. This is tried without reading, so that a lock
 *      that is free takes one round trip;
 *   2. nothing has joined since it was read: then a claim that fitted fits, for those ahead only
 *      get fewer;
 *   3. the first in line is still there: then the lock is still used as what it was, and the claim
 *      enters at the end, where no condition is needed.
 *
 * If the condition fails the transaction gives the queue as it is now, and the join goes on from
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
    return new Join(claim, wait, calls.deadline()).ifEmpty();
  }

  private final class Join {
    private final Claim claim;
    private final boolean wait;
    private final Deadline deadline;
    private final ByteString key;
    private final ByteString tombstone;
    private final ByteString first;
    private final ByteString after;

    Join(Claim claim, boolean wait, Deadline deadline) {
      this.claim = claim;
      this.wait = wait;
      this.deadline = deadline;
      key = keys.claim(claim);
      tombstone = keys.tombstone(claim);
      first = keys.first(claim.lock());
      after = keys.after(claim.lock());
    }

    CompletableFuture<JoinAnswer> ifEmpty() {
      roll.call(key, claim); // each time: it is struck when it is found to have ended
      return enter(claim.ttl(), Ops.empty(first, after));
    }

    private CompletableFuture<JoinAnswer> enter(Duration ttl, Compare condition) {
      if (deadline.isOver()) {
        return CompletableFuture.failedFuture(
            new StoreException(
                claim.lock(),
                "too much coming and going at '"
                    + claim.lock()
                    + "' to join it in time; nothing has been entered"));
      }
      LeaseClass leaseClass = leases.of(ttl);
      return leaseClass
          .arm(deadline)
          .thenCompose(
              armed ->
                  Failures.orIfLeaseGone(
                      send(entering(condition, armed.id()))
                          // Side by side; but if the lease has ended nobody waits for its renewal.
                          .thenCompose(
                              done ->
                                  armed
                                      .renewal()
                                      .thenCompose(renewal -> answer(done, renewal, ttl))),
                      deadline,
                      () -> {
                        leaseClass.ended(armed.id());
                        return enter(ttl, condition);
                      }));
    }

    private CompletableFuture<TxnResponse> send(TxnRequest entering) {
      return calls.txn("join", claim.lock(), entering, deadline, () -> roll.doubt(key));
    }

    private TxnRequest entering(Compare condition, long lease) {
      return TxnRequest.newBuilder()
          .addCompare(Ops.createdAt(tombstone, 0))
          .addCompare(Ops.createdAt(key, 0))
          .addCompare(condition)
          .addSuccess(Ops.put(key, Entry.record(claim, ticker.wallMicros()), lease))
          .addSuccess(Ops.get(first, after))
          .addFailure(Ops.get(tombstone))
          .addFailure(Ops.get(first, after))
          .build();
    }

    private CompletableFuture<JoinAnswer> answer(
        TxnResponse done, KeptLease.Renewal renewal, Duration ttl) {
      Queue queue =
          Queue.of(done.getResponses(1).getResponseRange(), done.getHeader().getRevision());
      if (!done.getSucceeded()) {
        boolean buried = done.getResponses(0).getResponseRange().getKvsCount() > 0;
        return buried ? completed(refused()) : goOn(queue);
      }
      if (!renewal.alive() || renewal.term() < done.getHeader().getRaftTerm()) {
        return ifEmpty(); // perhaps the lease has ended, and the key with it: look for it
      }
      return entered(queue, ttl);
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
        return ifEmpty();
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
                return ifEmpty(); // it ended before its ttl was armed anew
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
