package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.StoreException;
import dev.holdfast.etcd.LeaseClass.Armed;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Standing;
import io.etcd.jetcd.api.TxnRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Tells how a claim stands that was seen in its queue, and makes it last for its ttl: it was seen
 * on the right lease after that was renewed, or it is moved there. A waiter is on a lease of at
 * most 10 s, a granted claim on that of its own ttl, and both on one of the current term. The
 * create revision stays.
 */
final class Settling {

  private final Calls calls;
  private final Keys keys;
  private final Leases leases;
  private final Roll roll;
  private final Hints hints;
  private final Grants grants;

  Settling(Calls calls, Keys keys, Leases leases, Roll roll, Hints hints, Grants grants) {
    this.calls = calls;
    this.keys = keys;
    this.leases = leases;
    this.roll = roll;
    this.hints = hints;
    this.grants = grants;
  }

  /**
   * How the claim stands in this queue.
   *
   * @param armed before the queue was asked for
   */
  CompletableFuture<Standing> settle(
      Claim claim, Queue queue, List<Armed> armed, Deadline deadline) {
    int index = queue.indexOf(claim);
    if (index < 0 || queue.entries().get(index).left()) {
      return CompletableFuture.completedFuture(gone(claim));
    }
    Entry entry = queue.entries().get(index);
    if (index < queue.admitted()) {
      return hold(claim, queue, entry, armed, deadline);
    }
    return isKept(claim, queue, entry, claim.waitingTtl(), armed, deadline)
        .thenApply(alive -> alive ? queued(claim, queue, index) : gone(claim));
  }

  /**
   * For a claim that is known to be granted: that never ends but with the claim.
   *
   * @param seen where its entry was found
   * @param armed before that was asked for
   */
  CompletableFuture<Standing> hold(
      Claim claim, Queue seen, Entry entry, List<Armed> armed, Deadline deadline) {
    if (entry.left()) {
      return CompletableFuture.completedFuture(gone(claim));
    }
    return isKept(claim, seen, entry, claim.ttl(), armed, deadline)
        .thenApply(alive -> alive ? granted(claim, entry.seat(), seen.revision()) : gone(claim));
  }

  Granted granted(Claim claim, Seat seat, long revision) {
    hints.drop(claim);
    grants.seen(claim, seat, revision);
    return roll.granted(claim, seat);
  }

  Queued queued(Claim claim, Queue queue, int index) {
    roll.queued(claim, queue.entries().get(index).seat());
    hints.watch(claim, queue, index);
    if (roll.isCondemned(claim)) { // it has left while this was on its way
      hints.drop(claim);
    }
    return new Queued(index);
  }

  Gone gone(Claim claim) {
    roll.strike(ClaimKey.of(claim));
    hints.drop(claim);
    grants.drop(claim);
    return Gone.GONE;
  }

  /** Whether the claim is there, from now on for its ttl. That it is not, only its key can tell. */
  private CompletableFuture<Boolean> isKept(
      Claim claim, Queue seen, Entry entry, Duration ttl, List<Armed> armed, Deadline deadline) {
    boolean isConfirmed =
        armed.stream()
            .anyMatch(
                lease ->
                    lease.id() == entry.lease()
                        && lease.seconds() == Leases.withSpare(ttl)
                        && lease.isConfirmedIn(seen.term()));
    return isConfirmed && entry.is(claim)
        ? CompletableFuture.completedFuture(!roll.isCondemned(claim))
        : move(claim, entry, ttl, deadline);
  }

  private CompletableFuture<Boolean> move(
      Claim claim, Entry entry, Duration ttl, Deadline deadline) {
    LeaseClass leaseClass = leases.of(ttl);
    return leaseClass
        .arm(deadline)
        .thenCompose(
            armed ->
                Failures.orIfLeaseGone(
                    put(claim, entry, armed.id(), deadline)
                        .thenCompose(now -> isMoved(claim, now, ttl, armed, deadline)),
                    deadline,
                    () -> {
                      leaseClass.ended(armed.id());
                      return move(claim, entry, ttl, deadline);
                    }));
  }

  private CompletableFuture<Boolean> isMoved(
      Claim claim, Queue now, Duration ttl, Armed armed, Deadline deadline) {
    if (now.isEmpty()) {
      return CompletableFuture.completedFuture(false);
    }
    return now.head().lease() == armed.id()
        ? isKept(claim, now, now.head(), ttl, List.of(armed), deadline)
        : CompletableFuture.failedFuture(changed(claim));
  }

  /** A later request about the same claim was quicker, and may have found it granted. */
  private static StoreException changed(Claim claim) {
    return new StoreException(
        claim.lock(), "'" + claim.lock() + "' was renewed by a later request meanwhile");
  }

  /**
   * The entry as it is after it was put on this lease; nothing if it is gone. Only as long as
   * nobody else changed it: sent twice, the second one must not take back what was done after the
   * first.
   */
  private CompletableFuture<Queue> put(Claim claim, Entry entry, long lease, Deadline deadline) {
    if (roll.isCondemned(claim)) { // on another lease, it would outlive its deletion
      return CompletableFuture.completedFuture(Queue.EMPTY);
    }
    ByteString tombstone = keys.tombstone(claim);
    TxnRequest txn =
        TxnRequest.newBuilder()
            .addCompare(Ops.createdAt(entry.key(), entry.created()))
            .addCompare(Ops.modifiedAt(entry.key(), entry.modified()))
            .addCompare(Ops.createdAt(tombstone, 0))
            .addSuccess(Ops.put(entry.key(), entry.record(claim), lease))
            .addSuccess(Ops.get(entry.key()))
            .addFailure(Ops.get(tombstone))
            .addFailure(Ops.get(entry.key()))
            .build();
    return calls
        .renewal(claim.lock(), txn, deadline)
        .thenApply(
            done -> {
              boolean buried =
                  !done.getSucceeded() && done.getResponses(0).getResponseRange().getKvsCount() > 0;
              Queue now = Queue.of(done.getResponses(1).getResponseRange(), done.getHeader());
              boolean gone = buried || now.isEmpty() || now.head().created() != entry.created();
              return gone ? Queue.EMPTY : now;
            });
  }
}
