package dev.holdfast.etcd;

import dev.holdfast.spi.Ticker;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The lease for claims of one ttl, and the next one when it has ended. Any threads. */
final class LeaseClass {

  private final long seconds;
  private final Calls calls;
  private final Roll roll;
  private final Ticker ticker;
  private final AtomicReference<@Nullable CompletableFuture<KeptLease>> current =
      new AtomicReference<>();

  LeaseClass(long seconds, Calls calls, Roll roll, Ticker ticker) {
    this.seconds = seconds;
    this.calls = calls;
    this.roll = roll;
    this.ticker = ticker;
  }

  /**
   * A lease that is being renewed.
   *
   * @param renewed whether it was still there, by a keep-alive sent after it was asked for
   */
  record Armed(long id, CompletableFuture<Boolean> renewed) {}

  /** The lease, renewed from now on. */
  CompletableFuture<Armed> arm(Deadline deadline) {
    CompletableFuture<KeptLease> known = current.get();
    if (known != null) {
      return known.thenApply(lease -> renewed(known, lease, deadline));
    }
    CompletableFuture<KeptLease> fresh = new CompletableFuture<>();
    if (!current.compareAndSet(null, fresh)) {
      return arm(deadline);
    }
    grant(fresh, deadline);
    return fresh.thenApply(lease -> new Armed(lease.id(), CompletableFuture.completedFuture(true)));
  }

  /** Puts this lease out of use: it has ended. */
  void ended(long id) {
    CompletableFuture<KeptLease> known = current.get();
    if (known != null && known.isDone() && known.join().id() == id) {
      current.compareAndSet(known, null);
    }
  }

  private Armed renewed(CompletableFuture<KeptLease> known, KeptLease lease, Deadline deadline) {
    CompletableFuture<Boolean> renewed =
        lease
            .renew(deadline)
            .thenApply(
                alive -> {
                  if (!alive) {
                    current.compareAndSet(known, null);
                  }
                  return alive;
                });
    return new Armed(lease.id(), renewed);
  }

  private void grant(CompletableFuture<KeptLease> fresh, Deadline deadline) {
    var unused =
        calls
            .grant(seconds, deadline)
            .whenComplete(
                (id, failure) -> {
                  if (failure == null) {
                    fresh.complete(new KeptLease(id, seconds, calls, roll, ticker));
                  } else {
                    current.compareAndSet(fresh, null); // first, or others would find it failed
                    fresh.completeExceptionally(failure);
                  }
                });
  }
}
