package dev.holdfast.etcd;

import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The leases of tombstones. Nobody renews them, and many tombstones share one: it lasts twice as
 * long as they have to, and is used during its first half. Any threads.
 */
final class Graveyard {

  private final Calls calls;
  private final Ticker ticker;
  // By how many seconds a tombstone lasts at least: powers of two, so they are few.
  private final ConcurrentHashMap<Long, CompletableFuture<Grave>> graves =
      new ConcurrentHashMap<>();

  private record Grave(long lease, long closes) {}

  Graveyard(Calls calls, Ticker ticker) {
    this.calls = calls;
    this.ticker = ticker;
  }

  /** A lease that will last at least so long. */
  CompletableFuture<Long> lease(Duration atLeast, Deadline deadline) {
    long seconds = 2 * Long.highestOneBit(Leases.seconds(atLeast));
    CompletableFuture<Grave> fresh = new CompletableFuture<>();
    CompletableFuture<Grave> grave =
        graves.compute(seconds, (same, known) -> known != null && isOpen(known) ? known : fresh);
    if (grave == fresh) {
      dig(seconds, fresh, deadline);
    }
    return Failures.orIfSilent(
        calls.within(grave, "lease", deadline).thenApply(Grave::lease),
        deadline,
        () -> lease(atLeast, deadline));
  }

  /** Somebody has ended this lease. */
  void ended(long lease) {
    graves.values().removeIf(grave -> isDug(grave) && grave.join().lease == lease);
  }

  private boolean isOpen(CompletableFuture<Grave> grave) {
    return !grave.isDone() || (isDug(grave) && grave.join().closes - ticker.nanoTime() > 0);
  }

  private static boolean isDug(CompletableFuture<Grave> grave) {
    return grave.isDone() && !grave.isCompletedExceptionally();
  }

  private void dig(long seconds, CompletableFuture<Grave> fresh, Deadline deadline) {
    long closes = ticker.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    var unused =
        calls
            .grant(2 * seconds, deadline)
            .whenComplete(
                (granted, failure) -> {
                  if (failure == null) {
                    fresh.complete(new Grave(granted.getID(), closes));
                  } else {
                    fresh.completeExceptionally(failure);
                  }
                });
  }
}
