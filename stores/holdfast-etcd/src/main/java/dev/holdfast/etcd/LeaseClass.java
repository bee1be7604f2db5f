package dev.holdfast.etcd;

import dev.holdfast.spi.Ticker;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The lease for claims of one ttl, and the next one when it has ended. Any threads. */
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
   * A lease that is being renewed, or was just now.
   *
   * @param renewal after which it lasts for the ttl, counted from when it was asked for
   */
  record Armed(long id, CompletableFuture<KeptLease.Renewal> renewal) {

    /** No lease. */
    static final Armed NONE = new Armed(0, new CompletableFuture<>());
  }

  /** The lease, renewed from now on. */
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
    return used.thenApply(lease -> renewed(used, lease, deadline));
  }

  /** Whether there is no lease, or one that nobody has renewed in time. */
  boolean isIdle() {
    CompletableFuture<KeptLease> known = current.get();
    return known == null || isOver(known);
  }

  private static boolean isOver(CompletableFuture<KeptLease> known) {
    return isGranted(known) && known.join().mayHaveEnded();
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

  private Armed renewed(CompletableFuture<KeptLease> known, KeptLease lease, Deadline deadline) {
    CompletableFuture<KeptLease.Renewal> renewed =
        lease
            .renew(deadline)
            .thenApply(
                renewal -> {
                  if (!renewal.alive()) {
                    current.compareAndSet(known, null);
                  }
                  return renewal;
                });
    return new Armed(lease.id(), renewed);
  }

  private void grant(CompletableFuture<KeptLease> fresh, Deadline deadline) {
    Sent sent = Sent.now(ticker);
    var unused =
        calls
            .grant(seconds, deadline)
            .whenComplete(
                (granted, failure) -> {
                  if (failure == null) {
                    fresh.complete(
                        new KeptLease(granted.getID(), sent, seconds, calls, keys, roll, ticker));
                  } else {
                    current.compareAndSet(fresh, null); // first, or others would find it failed
                    fresh.completeExceptionally(failure);
                  }
                });
  }
}
