package dev.holdfast.leased;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.holdfast.leased.KeptLease.LeaseEndedException;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.support.Failures;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The leases of a client: one for each ttl, in whole seconds. Thread-safe.
 *
 * <p>A lease outlasts the ttl of its claims by the spare time. A claim that joins or is renewed
 * within the spare time after a renewal was sent has its whole ttl without another renewal.
 *
 * @param <L> the store's leases
 */
public final class LeaseClasses<L extends KeptLease> {

  private static final long LESS_THAN_A_SECOND = 999_999_999;

  private final LeaseCalls<L> calls;
  private final LongSupplier epoch;
  private final Duration spare;
  private final Failures failures;
  private final ConcurrentHashMap<Long, LeaseClass<L>> classes = new ConcurrentHashMap<>();

  /**
   * No lease is opened before it is needed.
   *
   * @param epoch which the store is known to be in. A lease that was opened in an earlier one is
   *     replaced; always 0 for a store whose leases outlive a change of its leader
   */
  public LeaseClasses(LeaseCalls<L> calls, LongSupplier epoch, Duration spare, Failures failures) {
    this.calls = calls;
    this.epoch = epoch;
    this.spare = spare;
    this.failures = failures;
  }

  /** The leases for claims of this ttl. */
  public LeaseClass<L> of(Duration ttl) {
    long seconds = seconds(ttl);
    LeaseClass<L> known = classes.get(seconds);
    if (known != null) {
      return known;
    }
    // Classes out of use go. Should one be taken up again at this moment, there are two leases for
    // that ttl for a while, which does no harm.
    classes.values().removeIf(LeaseClass::isIdle);
    return classes.computeIfAbsent(
        seconds, wanted -> new LeaseClass<>(wanted, spare.toNanos(), calls, epoch, failures));
  }

  /**
   * @return the leases for these ttls, renewed, as far as they are in use; none without spare time,
   *     when a claim that turns out to have to move would need another renewal
   */
  public CompletableFuture<List<L>> renewedIfKept(Set<Duration> ttls, Deadline deadline) {
    if (spare.isZero()) {
      return completedFuture(List.of());
    }
    CompletableFuture<List<L>> all = completedFuture(new ArrayList<>());
    for (Duration ttl : ttls) {
      all =
          all.thenCombine(
              renewedIfKept(ttl, deadline),
              (list, lease) -> {
                if (lease != null) {
                  list.add(lease);
                }
                return list;
              });
    }
    return all;
  }

  /**
   * @return the lease for this ttl, renewed, or null if none is in use
   */
  public CompletableFuture<@Nullable L> renewedIfKept(Duration ttl, Deadline deadline) {
    LeaseClass<L> known = classes.get(seconds(ttl));
    return known == null || known.isIdle()
        ? completedFuture(null)
        : known.renewed(deadline).thenApply(lease -> lease);
  }

  /** The leases in use. */
  public Collection<L> current() {
    return classes.values().stream()
        .map(LeaseClass::current)
        .filter(Objects::nonNull)
        .map(Objects::requireNonNull)
        .toList();
  }

  /** How long a lease for this ttl lasts. */
  public long seconds(Duration ttl) {
    return ttl.plus(spare).plusNanos(LESS_THAN_A_SECOND).toSeconds();
  }

  /** Whole seconds that last at least this time. */
  public static long roundUp(Duration time) {
    return time.plusNanos(LESS_THAN_A_SECOND).toSeconds();
  }

  /**
   * The lease for the claims of one ttl, and the next one when it has ended or its epoch has.
   * Thread-safe.
   *
   * @param <L> the store's leases
   */
  public static final class LeaseClass<L extends KeptLease> {

    private final long seconds;
    private final long spareNanos;
    private final LeaseCalls<L> calls;
    private final LongSupplier epoch;
    private final Failures failures;
    private final AtomicReference<@Nullable CompletableFuture<L>> current = new AtomicReference<>();

    LeaseClass(
        long seconds, long spareNanos, LeaseCalls<L> calls, LongSupplier epoch, Failures failures) {
      this.seconds = seconds;
      this.spareNanos = spareNanos;
      this.calls = calls;
      this.epoch = epoch;
      this.failures = failures;
    }

    /**
     * A lease that is being renewed.
     *
     * @param renewed whether a renewal that was sent after it was asked for found it alive
     */
    public record Armed<L extends KeptLease>(L lease, CompletableFuture<Boolean> renewed) {}

    /**
     * @return the lease; its renewal is under way and may turn out to have come too late
     */
    public CompletableFuture<Armed<L>> arm(Deadline deadline) {
      CompletableFuture<L> before = current.get();
      CompletableFuture<L> used = use(deadline);
      L known = granted(used);
      if (used == before && known != null) {
        return completedFuture(new Armed<>(known, renew(used, known, deadline)));
      }
      return Failures.repeatIfUnanswered(
          failures
              .within(used, "lease", deadline)
              .thenApply(
                  lease ->
                      new Armed<>(
                          lease,
                          used == before ? renew(used, lease, deadline) : completedFuture(true))),
          deadline,
          () -> arm(deadline));
    }

    /**
     * @return the lease, renewed: a request sent from now on finds it alive, or ended before its
     *     time
     */
    public CompletableFuture<L> renewed(Deadline deadline) {
      CompletableFuture<L> known = current.get();
      L fresh = granted(known);
      if (known != null && fresh != null && fresh.isFresh(spareNanos, epoch.getAsLong())) {
        return known;
      }
      CompletableFuture<L> used = use(deadline);
      return Failures.repeatIfUnanswered(
          failures
              .within(used, "lease", deadline)
              .thenCompose(lease -> renewed(used, lease, deadline)),
          deadline,
          () -> renewed(deadline));
    }

    /**
     * @return the lease, renewed; without spare time, it is only {@linkplain #arm armed}
     */
    CompletableFuture<Armed<L>> ready(Deadline deadline) {
      return spareNanos == 0
          ? arm(deadline)
          : renewed(deadline).thenApply(lease -> new Armed<>(lease, completedFuture(true)));
    }

    private CompletableFuture<L> renewed(CompletableFuture<L> used, L lease, Deadline deadline) {
      CompletableFuture<Boolean> renewal =
          lease.isConfirmedWithin(spareNanos)
              ? completedFuture(true)
              : renew(used, lease, deadline);
      return renewal.thenCompose(
          alive -> alive && !isOver(lease) ? completedFuture(lease) : renewed(deadline));
    }

    private CompletableFuture<Boolean> renew(
        CompletableFuture<L> used, L lease, Deadline deadline) {
      return lease
          .renew(deadline)
          .thenApply(
              alive -> {
                if (!alive) {
                  current.compareAndSet(used, null);
                }
                return alive;
              });
    }

    /** Carries out a step on the lease, renewed; if that has ended, on the next one. */
    public <T> CompletableFuture<T> on(Deadline deadline, Function<L, CompletableFuture<T>> step) {
      return renewed(deadline)
          .thenCompose(
              lease ->
                  LeaseEndedException.otherwise(
                      step.apply(lease),
                      deadline,
                      () -> {
                        ended(lease);
                        return on(deadline, step);
                      }));
    }

    private CompletableFuture<L> use(Deadline deadline) {
      CompletableFuture<L> known = current.get();
      L lease = granted(known);
      if (known != null && (lease == null || !isOver(lease))) {
        return known;
      }
      CompletableFuture<L> fresh = new CompletableFuture<>();
      if (!current.compareAndSet(known, fresh)) {
        return use(deadline);
      }
      open(fresh, deadline);
      return fresh;
    }

    private void open(CompletableFuture<L> fresh, Deadline deadline) {
      var unused =
          calls
              .open(seconds, deadline)
              .whenComplete(
                  (lease, failure) -> {
                    if (failure == null) {
                      fresh.complete(lease);
                    } else {
                      current.compareAndSet(fresh, null); // first, or others would find it failed
                      fresh.completeExceptionally(Failures.unwrap(failure));
                    }
                  });
    }

    private boolean isOver(L lease) {
      return lease.epoch() < epoch.getAsLong() || lease.mayHaveEnded();
    }

    private @Nullable L granted(@Nullable CompletableFuture<L> lease) {
      return lease == null || !lease.isDone() || lease.isCompletedExceptionally()
          ? null
          : lease.join();
    }

    /**
     * @return the lease in use, null while there is none
     */
    public @Nullable L current() {
      return granted(current.get());
    }

    /** Puts this lease out of use: it has ended. */
    public void ended(L lease) {
      CompletableFuture<L> known = current.get();
      if (granted(known) == lease) {
        current.compareAndSet(known, null);
      }
    }

    /**
     * @return true if there is no lease, or only one that may have ended
     */
    boolean isIdle() {
      CompletableFuture<L> known = current.get();
      L lease = granted(known);
      return known == null || (lease != null && lease.mayHaveEnded());
    }
  }
}
