package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.etcd.LeaseClass.Armed;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Standing;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * How a waiter becomes the holder once it has heard that whoever was before it has gone: one
 * transaction sees that nobody is ahead and puts its key on the lease of its ttl. Any threads.
 */
final class Succession {

  private final Calls calls;
  private final Keys keys;
  private final Leases leases;
  private final Roll roll;
  private final Settling settling;

  Succession(Calls calls, Keys keys, Leases leases, Roll roll, Settling settling) {
    this.calls = calls;
    this.keys = keys;
    this.leases = leases;
    this.roll = roll;
    this.settling = settling;
  }

  /**
   * How the claim stands.
   *
   * @param entry as it was last seen: it is changed only if nobody else has done so since
   * @param look how to find out otherwise, if the lease is not what it seemed to be
   */
  CompletableFuture<Standing> succeed(
      Claim claim, Entry entry, Deadline deadline, Supplier<CompletableFuture<Standing>> look) {
    if (roll.isCondemned(claim)) { // on another lease, it would outlive its deletion
      return look.get();
    }
    LeaseClass leaseClass = leases.of(claim.ttl());
    return leaseClass
        .arm(deadline)
        .thenCompose(
            armed ->
                Failures.orIfLeaseGone(
                    calls
                        .renewal(claim.lock(), txn(claim, entry, armed.id()), deadline)
                        .thenCompose(
                            done ->
                                done.getSucceeded()
                                    ? held(claim, entry, done, armed, look)
                                    : settling.settle(
                                        claim, queue(done), List.of(armed), deadline)),
                    deadline,
                    () -> {
                      leaseClass.ended(armed.id());
                      return look.get();
                    }));
  }

  private TxnRequest txn(Claim claim, Entry entry, long lease) {
    ByteString first = keys.first(claim.lock());
    ByteString after = keys.after(claim.lock());
    return TxnRequest.newBuilder()
        .addCompare(Ops.noneBefore(first, after, entry.created()))
        .addCompare(Ops.modifiedAt(entry.key(), entry.modified()))
        .addCompare(Ops.createdAt(keys.tombstone(claim), 0))
        .addSuccess(Ops.put(entry.key(), entry.record(claim), lease))
        .addFailure(Ops.get(first, after))
        .build();
  }

  private CompletableFuture<Standing> held(
      Claim claim,
      Entry entry,
      TxnResponse done,
      Armed armed,
      Supplier<CompletableFuture<Standing>> look) {
    boolean isKept =
        armed.isConfirmedIn(done.getHeader().getRaftTerm()) && !roll.isCondemned(claim);
    return isKept
        ? CompletableFuture.completedFuture(
            settling.granted(claim, entry.seat(), done.getHeader().getRevision()))
        : look.get();
  }

  private static Queue queue(TxnResponse done) {
    return Queue.of(done.getResponses(0).getResponseRange(), done.getHeader());
  }
}
