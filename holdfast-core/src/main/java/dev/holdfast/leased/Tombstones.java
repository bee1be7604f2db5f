package dev.holdfast.leased;

import dev.holdfast.leased.KeptLease.LeaseEndedException;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.support.Failures;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * The leases of tombstones, the marks that refuse a late join. They are never renewed, and many
 * tombstones share one: it lasts about twice as long as a tombstone has to, and takes new ones
 * during its first half. Thread-safe.
 */
public final class Tombstones {

  private final BiFunction<Long, Deadline, CompletableFuture<String>> open;
  private final long longestSeconds;
  private final Ticker ticker;
  private final Failures failures;
  // By the seconds that a tombstone lasts at least: powers of two, so that they are few.
  private final ConcurrentHashMap<Long, CompletableFuture<OpenLease>> leases =
      new ConcurrentHashMap<>();

  private record OpenLease(String id, long closes) {}

  /**
   * No lease is opened before it is needed.
   *
   * @param open opens a lease of the given seconds and answers its id
   * @param longest the longest that the store grants
   */
  public Tombstones(
      BiFunction<Long, Deadline, CompletableFuture<String>> open,
      Duration longest,
      Ticker ticker,
      Failures failures) {
    this.open = open;
    this.longestSeconds = longest.toSeconds();
    this.ticker = ticker;
    this.failures = failures;
  }

  /** Carries out a step with the id of such a lease; if that has ended, with another one. */
  public <T> CompletableFuture<T> on(
      Duration atLeast, Deadline deadline, Function<String, CompletableFuture<T>> step) {
    return lease(atLeast, deadline)
        .thenCompose(
            lease ->
                LeaseEndedException.otherwise(
                    step.apply(lease),
                    deadline,
                    () -> {
                      ended(lease);
                      return on(atLeast, deadline, step);
                    }));
  }

  /**
   * @return the id of a lease that will last at least this long
   */
  public CompletableFuture<String> lease(Duration atLeast, Deadline deadline) {
    long seconds = 2 * Long.highestOneBit(LeaseClasses.roundUp(atLeast));
    CompletableFuture<OpenLease> fresh = new CompletableFuture<>();
    CompletableFuture<OpenLease> used =
        leases.compute(seconds, (same, known) -> known != null && isOpen(known) ? known : fresh);
    if (used == fresh) {
      open(seconds, fresh, deadline);
    }
    return Failures.repeatIfUnanswered(
        failures.within(used, "lease", deadline).thenApply(OpenLease::id),
        deadline,
        () -> lease(atLeast, deadline));
  }

  /** This lease has ended before its time. */
  public void ended(String id) {
    leases.values().removeIf(lease -> isGranted(lease) && lease.join().id.equals(id));
  }

  private boolean isOpen(CompletableFuture<OpenLease> lease) {
    return !lease.isDone() || (isGranted(lease) && lease.join().closes - ticker.nanoTime() > 0);
  }

  private static boolean isGranted(CompletableFuture<OpenLease> lease) {
    return lease.isDone() && !lease.isCompletedExceptionally();
  }

  private void open(long seconds, CompletableFuture<OpenLease> fresh, Deadline deadline) {
    long lasts = Math.min(2 * seconds, longestSeconds);
    long closes = ticker.nanoTime() + TimeUnit.SECONDS.toNanos(lasts - seconds);
    var unused =
        open.apply(lasts, deadline)
            .whenComplete(
                (id, failure) -> {
                  if (failure == null) {
                    fresh.complete(new OpenLease(id, closes));
                  } else {
                    fresh.completeExceptionally(Failures.unwrap(failure));
                  }
                });
  }
}
