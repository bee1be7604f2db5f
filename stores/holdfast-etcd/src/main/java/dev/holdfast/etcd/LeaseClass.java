package dev.holdfast.etcd;

import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Ticker;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/*
 * A lease serves for one term. A leader that stalls past the end of a lease and is replaced does not
 * know that its successor has renewed it. When it comes back it asks for the end of that lease, which
 * the successor carries out (seen on etcd 3.4.23 and 3.5.16). It cannot know leases that were granted
 * after its term. So:
 *
 *   1. A lease belongs to the term that was known before it was asked for: it is granted in that one
 *      or a later one, and no leader of an earlier one will ever end it.
 *   2. A renewal counts if the leader of that same term made it: that one will not end the lease
 *      before it has run out, whatever happens to it. The answer to a keep-alive does not tell who
 *      made it: a member fills in its term before it asks the leader. But whoever reads or writes by
 *      agreement of the majority after that is told at least the term of that leader. So claims are
 *      put on a lease, or seen on it, by a request that is sent after the lease was renewed; and if
 *      the answer is of another term than the lease, nothing is confirmed.
 *   3. Once a later term is known there is another lease, and each claim moves to it when it is
 *      renewed. What is not moved ends with the old lease, which nobody renews any more.
 *
 * Leases that are never renewed, those of tombstones and of claims that linger, need none of this:
 * no leader ends them before the time for which they were granted.
 */

/**
 * The lease for claims of one ttl, and the next one when it has ended or its term has. Thread-safe.
 */
final class LeaseClass {

  private final long seconds;
  private final Calls calls;
  private final Keys keys;
  private final Roll roll;
  private final Ticker ticker;
  private final AtomicReference<@Nullable CompletableFuture<KeptLease>> current =
      new AtomicReference<>();

  LeaseClass(long seconds, Calls calls, Keys keys, Roll roll, Ticker ticker) {
    this.seconds = seconds;
    this.calls = calls;
    this.keys = keys;
    this.roll = roll;
    this.ticker = ticker;
  }

  /**
   * A lease that was renewed just now.
   *
   * @param seconds how long it lasts
   * @param term whose leader keeps it alive
   */
  record Armed(long id, long seconds, long term) {

    /** No lease. */
    static final Armed NONE = new Armed(0, 0, 0);

    /**
     * @param seen the term of the answer to a request that was sent after the lease was armed; a
     *     member that has just started may tell 0
     * @return whether what was on the lease then lasts for the ttl, counted from when it was armed
     */
    boolean isConfirmedIn(long seen) {
      return term > 0 && term == seen;
    }
  }

  /** The lease, renewed: what is sent from now on finds it alive, or ended before its time. */
  CompletableFuture<Armed> arm(Deadline deadline) {
    CompletableFuture<KeptLease> known = current.get();
    if (known == null || isOver(known)) {
      CompletableFuture<KeptLease> fresh = new CompletableFuture<>();
      if (!current.compareAndSet(known, fresh)) {
        return arm(deadline);
      }
      grant(fresh, deadline);
      known = fresh;
    }
    CompletableFuture<KeptLease> used = known;
    return Failures.orIfSilent(
        calls.within(used, "lease", deadline).thenCompose(lease -> renewed(used, lease, deadline)),
        deadline,
        () -> arm(deadline));
  }

  /** Whether there is no lease, or one that is of no more use. */
  boolean isIdle() {
    CompletableFuture<KeptLease> known = current.get();
    return known == null || (isGranted(known) && known.join().mayHaveEnded());
  }

  private boolean isOver(CompletableFuture<KeptLease> known) {
    return isGranted(known) && (known.join().mayHaveEnded() || isOfAnEarlierTerm(known.join()));
  }

  private boolean isOfAnEarlierTerm(KeptLease lease) {
    return lease.term() < calls.term();
  }

  private static boolean isGranted(CompletableFuture<KeptLease> known) {
    return known.isDone() && !known.isCompletedExceptionally();
  }

  /** Puts this lease out of use: it has ended. */
  void ended(long id) {
    CompletableFuture<KeptLease> known = current.get();
    if (known != null && isGranted(known) && known.join().id() == id) {
      current.compareAndSet(known, null);
    }
  }

  private CompletableFuture<Armed> renewed(
      CompletableFuture<KeptLease> known, KeptLease lease, Deadline deadline) {
    return lease
        .renew(deadline)
        .thenCompose(
            alive -> {
              if (!alive) {
                current.compareAndSet(known, null);
              }
              return alive && !isOfAnEarlierTerm(lease)
                  ? CompletableFuture.completedFuture(new Armed(lease.id(), seconds, lease.term()))
                  : arm(deadline);
            });
  }

  private void grant(CompletableFuture<KeptLease> fresh, Deadline deadline) {
    Sent sent = Sent.now(ticker);
    long term = calls.term(); // before it is sent: by its answer there may be a later one
    var unused =
        calls
            .grant(seconds, deadline)
            .whenComplete(
                (granted, failure) -> {
                  if (failure == null) {
                    fresh.complete(
                        new KeptLease(
                            granted.getID(), term, sent, seconds, calls, keys, roll, ticker));
                  } else {
                    current.compareAndSet(fresh, null); // first, or others would find it failed
                    fresh.completeExceptionally(failure);
                  }
                });
  }
}
