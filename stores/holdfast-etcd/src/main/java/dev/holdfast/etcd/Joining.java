package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.StoreException;
import dev.holdfast.etcd.LeaseClass.Armed;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
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
 * there.
 *
 * A claim enters once, though it may be sent twice and both be carried out, much later too: on
 * whatever condition, there must be no tombstone, nobody on that seat, and no such record in the
 * queue. A record tells when its join began, so this does not see what another join of the same
 * claim has entered: one that may have been there before is not tried without reading.
 */

/** How a claim enters its queue. */
final class Joining {

  private final Calls calls;
  private final Keys keys;
  private final Seats seats;
  private final Leases leases;
  private final Roll roll;
  private final Settling settling;
  private final Consumer<Departure> burial;
  private final Ticker ticker;

  Joining(
      Calls calls,
      Keys keys,
      Seats seats,
      Leases leases,
      Roll roll,
      Settling settling,
      Consumer<Departure> burial,
      Ticker ticker) {
    this.burial = burial;
    this.calls = calls;
    this.keys = keys;
    this.seats = seats;
    this.leases = leases;
    this.roll = roll;
    this.settling = settling;
    this.ticker = ticker;
  }

  CompletableFuture<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
    return new Join(claim, wait, deadline).unread();
  }

  private final class Join {
    private final Claim claim;
    private final boolean wait;
    private final Deadline deadline;
    private final ByteString tombstone;
    private final ByteString first;
    private final ByteString after;
    private final ByteString record;

    // Mutable state: one request comes after the other
    private boolean tried;
    private volatile boolean doubted;

    Join(Claim claim, boolean wait, Deadline deadline) {
      this.claim = claim;
      this.wait = wait;
      this.deadline = deadline;
      tombstone = keys.tombstone(claim);
      first = keys.first(claim.lock());
      after = keys.after(claim.lock());
      record = Entry.record(claim, ticker.wallMicros());
    }

    CompletableFuture<JoinAnswer> unread() {
      // Each time: it is struck when it is found to have ended.
      boolean mayBeThere = roll.join(claim, deadline) || tried;
      tried = true;
      if (doubted) {
        doubt();
      }
      return leases
          .of(claim.ttl())
          .arm(deadline)
          .thenCombine(behind(mayBeThere), this::unread)
          .thenCompose(answer -> answer);
    }

    private CompletableFuture<JoinAnswer> unread(Armed held, Armed waiting) {
      return Failures.orIfLeaseGone(
          send(unread(held.id(), waiting.id())).thenCompose(done -> answer(done, held, waiting)),
          deadline,
          () -> {
            if (waiting.id() == 0) {
              leases.of(claim.ttl()).ended(held.id());
            } else { // one of them; without this one, it shows which
              leases.of(claim.waitingTtl()).ended(waiting.id());
            }
            return unread();
          });
    }

    /** The lease for waiting, if it is at hand and nobody who wants all fits beside another. */
    private CompletableFuture<Armed> behind(boolean mayBeThere) {
      return wait && !mayBeThere && claim.weight() == claim.capacity()
          ? leases.armIfKept(claim.waitingTtl(), deadline)
          : CompletableFuture.completedFuture(Armed.NONE);
    }

    private TxnRequest unread(long held, long waiting) {
      TxnRequest.Builder txn =
          ifNotBuried()
              .addCompare(Ops.empty(first, after))
              .addSuccess(Ops.put(seats.first(claim.lock()), record, held))
              .addFailure(Ops.get(tombstone));
      if (waiting != 0) {
        ByteString seat = seats.usual(claim.lock());
        txn.addFailure(
            Ops.nested(
                ifNew(seat)
                    .addAllCompare(Ops.allLike(first, after, Entry.start(claim)))
                    .addSuccess(Ops.put(seat, record, waiting))));
      }
      return txn.addFailure(Ops.get(first, after)).build();
    }

    private CompletableFuture<JoinAnswer> answer(TxnResponse done, Armed held, Armed waiting) {
      long revision = done.getHeader().getRevision();
      if (done.getSucceeded()) {
        Seat seat = new Seat(seats.first(claim.lock()), revision);
        return ifConfirmed(done, held, () -> completed(settling.granted(claim, seat, revision)));
      }
      boolean behind = done.getResponses(1).getResponseTxn().getSucceeded();
      return behind
          ? ifConfirmed(done, waiting, () -> entered(queue(done), waiting, claim.waitingTtl()))
          : notEntered(done, List.of(held, waiting));
    }

    private CompletableFuture<JoinAnswer> enter(
        Duration ttl, ByteString seat, List<Compare> condition) {
      LeaseClass leaseClass = leases.of(ttl);
      return leaseClass
          .arm(deadline)
          .thenCompose(
              armed ->
                  Failures.orIfLeaseGone(
                      send(entering(seat, condition, armed.id()))
                          .thenCompose(
                              done ->
                                  done.getSucceeded()
                                      ? ifConfirmed(
                                          done, armed, () -> entered(queue(done), armed, ttl))
                                      : notEntered(done, List.of(armed))),
                      deadline,
                      () -> {
                        leaseClass.ended(armed.id());
                        return enter(ttl, seat, condition);
                      }));
    }

    private CompletableFuture<TxnResponse> send(TxnRequest entering) {
      if (deadline.isOver()) {
        return CompletableFuture.failedFuture(
            new StoreException(
                claim.lock(),
                "Contention on '"
                    + claim.lock()
                    + "' is too high: not joined before the deadline"));
      }
      return calls.txn("join", claim.lock(), entering, deadline, this::doubt);
    }

    private boolean doubt() {
      doubted = true;
      return roll.doubt(claim);
    }

    private TxnRequest entering(ByteString seat, List<Compare> condition, long lease) {
      return ifNew(seat)
          .addAllCompare(condition)
          .addSuccess(Ops.put(seat, record, lease))
          .addSuccess(Ops.get(first, after))
          .addFailure(Ops.get(tombstone))
          .addFailure(Ops.get(first, after))
          .build();
    }

    /** There is somebody in the queue, but not this one, and not on this seat. */
    private TxnRequest.Builder ifNew(ByteString seat) {
      return ifNotBuried()
          .addCompare(Ops.createdAt(seat, 0))
          .addCompare(Ops.noneIs(first, after, record));
    }

    private TxnRequest.Builder ifNotBuried() {
      return TxnRequest.newBuilder().addCompare(Ops.createdAt(tombstone, 0));
    }

    /**
     * The answer if the claim entered in the term of its lease. If not, the lease may end early,
     * and the claim with it: finds it and moves it.
     */
    private CompletableFuture<JoinAnswer> ifConfirmed(
        TxnResponse done, Armed armed, Supplier<CompletableFuture<JoinAnswer>> answer) {
      return armed.isConfirmedIn(done.getHeader().getRaftTerm()) ? answer.get() : unread();
    }

    /** The last thing that a transaction does is to read the queue. */
    private static Queue queue(TxnResponse done) {
      return Queue.of(
          done.getResponses(done.getResponsesCount() - 1).getResponseRange(), done.getHeader());
    }

    private CompletableFuture<JoinAnswer> notEntered(TxnResponse done, List<Armed> armed) {
      boolean buried = done.getResponses(0).getResponseRange().getKvsCount() > 0;
      return buried ? completed(refused()) : goOn(queue(done), armed);
    }

    private CompletableFuture<JoinAnswer> entered(Queue queue, Armed armed, Duration ttl) {
      int index = queue.indexOf(claim);
      boolean granted = index < queue.admitted();
      if (queue.entries().get(index).lease() != armed.id()
          || !ttl.equals(granted ? claim.ttl() : claim.waitingTtl())) {
        return settled(
            queue,
            List.of(armed)); // those ahead have left in the same moment: it has to change leases
      }
      return completed(
          granted
              ? settling.granted(claim, queue.entries().get(index).seat(), queue.revision())
              : settling.queued(claim, queue, index));
    }

    private CompletableFuture<JoinAnswer> goOn(Queue queue, List<Armed> armed) {
      Entry known = queue.find(claim);
      if (known != null) {
        return known.left() ? completed(refused()) : settled(queue, armed);
      }
      if (queue.isEmpty()) {
        return unread();
      }
      Entry head = queue.head();
      if (head.kind() != claim.kind() || head.capacity() != claim.capacity()) {
        end();
        return completed(new Mismatch(head.kind(), head.capacity()));
      }
      if (queue.fits(claim)) {
        return enter(
            claim.ttl(), seat(queue), List.of(Ops.unjoinedSince(first, after, queue.revision())));
      }
      if (!wait) {
        end();
        return completed(new Busy(head.owner()));
      }
      // Those who want all do not depend on who is the first, which changes quickly.
      boolean alike = queue.entries().stream().allMatch(this::isLike);
      return enter(
          claim.waitingTtl(),
          seat(queue),
          alike
              ? Ops.allLike(first, after, Entry.start(claim))
              : List.of(Ops.createdAt(head.key(), head.created())));
    }

    private boolean isLike(Entry entry) {
      return claim.weight() == claim.capacity()
          && entry.kind() == claim.kind()
          && entry.weight() == claim.weight()
          && entry.capacity() == claim.capacity();
    }

    private ByteString seat(Queue queue) {
      return seats.free(claim.lock(), queue);
    }

    private CompletableFuture<JoinAnswer> settled(Queue queue, List<Armed> armed) {
      return settling
          .settle(claim, queue, armed, deadline)
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

    /** Nobody will hear of it any more, and so one that may come late must be kept out. */
    private void end() {
      if (doubted) {
        burial.accept(Departure.buried(claim));
      } else {
        roll.strike(ClaimKey.of(claim));
      }
    }

    private JoinAnswer refused() {
      roll.strike(ClaimKey.of(claim));
      return new Busy(null);
    }

    private CompletableFuture<JoinAnswer> completed(JoinAnswer answer) {
      return CompletableFuture.completedFuture(answer);
    }
  }
}
