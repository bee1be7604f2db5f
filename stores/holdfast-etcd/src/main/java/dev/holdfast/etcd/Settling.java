package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.StoreException;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Standing;
import io.etcd.jetcd.api.RangeResponse;
import io.etcd.jetcd.api.TxnRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Tells how a claim stands that was seen in its queue, and arms its ttl: renews the lease that its
 * key is on, or puts the key on the right one. A waiter is on a lease of at most 10 s; who is
 * granted moves to that of its own ttl. The create revision stays.
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

  /** How the claim stands in this queue. */
  CompletableFuture<Standing> settle(Claim claim, Queue queue, Deadline deadline) {
    int index = queue.indexOf(claim);
    if (index < 0 || queue.entries().get(index).left()) {
      return CompletableFuture.completedFuture(gone(claim));
    }
    Entry entry = queue.entries().get(index);
    if (index < queue.admitted()) {
      return hold(claim, entry, queue.revision(), deadline);
    }
    return arm(claim, entry, claim.waitingTtl(), deadline)
        .thenApply(alive -> alive ? queued(claim, queue, index) : gone(claim));
  }

  /**
   * For a claim that is known to be granted: that never ends but with the claim.
   *
   * @param revision at which it was there
   */
  CompletableFuture<Standing> hold(Claim claim, Entry entry, long revision, Deadline deadline) {
    if (entry.left()) {
      return CompletableFuture.completedFuture(gone(claim));
    }
    return arm(claim, entry, claim.ttl(), deadline)
        .thenApply(alive -> alive ? granted(claim, entry.seat(), revision) : gone(claim));
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
  private CompletableFuture<Boolean> arm(
      Claim claim, Entry entry, Duration ttl, Deadline deadline) {
    LeaseClass leaseClass = leases.of(ttl);
    return leaseClass
        .arm(deadline)
        .thenCompose(
            armed ->
                Failures.orIfLeaseGone(
                    on(claim, entry, armed, ttl, deadline),
                    deadline,
                    () -> {
                      leaseClass.ended(armed.id());
                      return arm(claim, entry, ttl, deadline);
                    }));
  }

  private CompletableFuture<Boolean> on(
      Claim claim, Entry entry, LeaseClass.Armed armed, Duration ttl, Deadline deadline) {
    if (armed.id() != entry.lease() || !entry.is(claim)) {
      return put(claim, entry, armed.id(), deadline)
          .thenCompose(
              now -> {
                if (now == null) {
                  return CompletableFuture.completedFuture(false);
                }
                return now.lease() == armed.id()
                    ? on(claim, now, armed, ttl, deadline)
                    : CompletableFuture.failedFuture(changed(claim));
              });
    }
    return armed
        .renewal()
        .thenCompose(
            renewal ->
                renewal.alive()
                    ? CompletableFuture.completedFuture(!roll.isCondemned(claim))
                    // It may have ended, or not: on another lease, the key tells.
                    : arm(claim, entry, ttl, deadline));
  }

  /** A later request about the same claim was quicker, and may have found it granted. */
  private static StoreException changed(Claim claim) {
    return new StoreException(
        claim.lock(), "'" + claim.lock() + "' was renewed by a later request meanwhile");
  }

  /**
   * The entry as it is after it was put on this lease; null if it is gone. Only as long as nobody
   * else changed it: sent twice, the second one must not take back what was done after the first.
   */
  private CompletableFuture<@Nullable Entry> put(
      Claim claim, Entry entry, long lease, Deadline deadline) {
    if (roll.isCondemned(claim)) { // on another lease, it would outlive its deletion
      return CompletableFuture.completedFuture(null);
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
              RangeResponse found = done.getResponses(1).getResponseRange();
              if (buried || found.getKvsCount() == 0) {
                return null;
              }
              Entry now = Entry.of(found.getKvs(0));
              return now.created() == entry.created() ? now : null;
            });
  }
}
