package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Tokens;
import io.etcd.jetcd.api.TxnRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

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

  Settling(Calls calls, Keys keys, Leases leases, Roll roll, Hints hints) {
    this.calls = calls;
    this.keys = keys;
    this.leases = leases;
    this.roll = roll;
    this.hints = hints;
  }

  /** How the claim stands in this queue. */
  CompletableFuture<Standing> settle(Claim claim, Queue queue, Deadline deadline) {
    int index = queue.indexOf(keys.claim(claim));
    if (index < 0 || queue.entries().get(index).left()) {
      return CompletableFuture.completedFuture(gone(claim));
    }
    Entry entry = queue.entries().get(index);
    if (index < queue.admitted()) {
      return hold(claim, entry, deadline);
    }
    return arm(claim, entry, claim.waitingTtl(), deadline)
        .thenApply(alive -> alive ? queued(claim, queue, index) : gone(claim));
  }

  /** For a claim that is known to be granted: that never ends but with the claim. */
  CompletableFuture<Standing> hold(Claim claim, Entry entry, Deadline deadline) {
    if (entry.left()) {
      return CompletableFuture.completedFuture(gone(claim));
    }
    return arm(claim, entry, claim.ttl(), deadline)
        .thenApply(alive -> alive ? granted(claim, entry.created()) : gone(claim));
  }

  Granted granted(Claim claim, long created) {
    ByteString key = keys.claim(claim);
    hints.drop(key);
    return roll.granted(key, claim, Tokens.ofRevision(created));
  }

  Queued queued(Claim claim, Queue queue, int index) {
    hints.watch(claim, queue, index);
    return new Queued(index);
  }

  Gone gone(Claim claim) {
    ByteString key = keys.claim(claim);
    roll.strike(key);
    hints.drop(key);
    return Gone.GONE;
  }

  private CompletableFuture<Boolean> arm(
      Claim claim, Entry entry, Duration ttl, Deadline deadline) {
    LeaseClass leaseClass = leases.of(ttl);
    return leaseClass
        .arm(deadline)
        .thenCompose(
            armed -> {
              if (armed.id() == entry.lease() && entry.is(claim)) {
                return armed.renewed();
              }
              return Failures.orIfLeaseGone(
                  put(claim, entry, armed.id(), deadline)
                      .thenCombine(armed.renewed(), (put, renewed) -> put && renewed),
                  deadline,
                  () -> {
                    leaseClass.ended(armed.id());
                    return arm(claim, entry, ttl, deadline);
                  });
            });
  }

  private CompletableFuture<Boolean> put(Claim claim, Entry entry, long lease, Deadline deadline) {
    TxnRequest txn =
        TxnRequest.newBuilder()
            .addCompare(Ops.createdAt(entry.key(), entry.created()))
            .addCompare(Ops.createdAt(keys.tombstone(claim), 0))
            .addSuccess(Ops.put(entry.key(), entry.record(claim), lease))
            .build();
    return calls.txn("renewal", claim.lock(), txn, deadline).thenApply(done -> done.getSucceeded());
  }
}
