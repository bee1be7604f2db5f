package dev.holdfast.leased;

import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.support.Failures;
import dev.holdfast.spi.support.SingleFlight;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/*
 * Renewing a lease renews all claims on it. An operation that counts validity from its own start
 * needs a renewal that was sent no earlier than the lease's spare time before that. If the renewal
 * under way was sent before it, the operation waits for the next one, which serves all operations
 * that came meanwhile.
 *
 * A server may renew a lease that is just ending, after it has deleted the keys and before it has
 * deleted the lease (etcd issue 14758). So a renewal counts only if it was answered before the lease
 * can have ended, counted from the send of the renewal before. After that the lease is given up, and
 * only its key tells whether a claim is still there.
 */

/** A lease that claims share, renewed only on request. Thread-safe. */
public abstract class KeptLease {

  private final String id;
  private final long seconds;
  private final long epoch;
  private final Ticker ticker;
  private final Failures failures;
  private final SingleFlight<Boolean> renewals = new SingleFlight<>(this::sendRenewal);

  // Mutable state: renewals come one after the other
  private volatile SendTime confirmed;
  private volatile @Nullable Deadline underWayUntil;
  private volatile @Nullable SendTime audited;

  /**
   * A lease that was opened just now.
   *
   * @param epoch the store's epoch that was known before the lease was requested
   * @param sent when it was requested
   */
  protected KeptLease(
      String id, long seconds, long epoch, SendTime sent, Ticker ticker, Failures failures) {
    this.id = id;
    this.seconds = seconds;
    this.epoch = epoch;
    this.confirmed = sent;
    this.ticker = ticker;
    this.failures = failures;
  }

  /** The store's name for it. */
  public final String id() {
    return id;
  }

  /** How long it lasts without renewal. */
  public final long seconds() {
    return seconds;
  }

  /** The store's epoch that was known before the lease was requested. */
  public final long epoch() {
    return epoch;
  }

  /** Sends one renewal; answers whether the store still had the lease. */
  protected abstract CompletableFuture<Boolean> askToRenew(Deadline deadline);

  /** Called after a renewal that counts, once in the time that the lease lasts. */
  protected void audit() {}

  /**
   * @param seen the store's epoch in the answer to a request that was sent after the renewal
   * @return true if what was on the lease then lasts for the ttl, counted from the renewal
   */
  public final boolean isConfirmedIn(long seen) {
    return seen == epoch;
  }

  /**
   * @return true if it may have ended for want of renewal
   */
  public final boolean mayHaveEnded() {
    return confirmed.age(ticker) >= TimeUnit.SECONDS.toNanos(seconds);
  }

  /**
   * @param nanos less than the lease lasts
   * @return true if its last confirmed renewal was sent within this time, and its epoch is not over
   */
  final boolean isFresh(long nanos, long now) {
    return confirmed.age(ticker) < nanos && epoch >= now;
  }

  /**
   * @return true if its last confirmed renewal was sent within this time
   */
  final boolean isConfirmedWithin(long nanos) {
    return confirmed.age(ticker) < nanos;
  }

  /**
   * @return whether a renewal sent after this call found it alive all the time
   */
  final CompletableFuture<Boolean> renew(Deadline deadline) {
    CompletableFuture<Boolean> renewal = renewals.next(deadline);
    return deadline.equals(underWayUntil) // then it ends by itself, and says why
        ? renewal
        : Failures.repeatIfUnanswered(
            failures.within(renewal, "renewal", deadline), deadline, () -> renew(deadline));
  }

  private CompletableFuture<Boolean> sendRenewal(Deadline deadline) {
    underWayUntil = deadline;
    SendTime sent = SendTime.now(ticker);
    return askToRenew(deadline)
        .thenApply(
            alive -> {
              if (!alive || mayHaveEnded()) {
                return false;
              }
              confirmed = sent;
              auditInTime();
              return true;
            });
  }

  private void auditInTime() {
    SendTime last = audited;
    if (last == null || last.age(ticker) >= TimeUnit.SECONDS.toNanos(seconds)) {
      audited = SendTime.now(ticker);
      if (last != null) {
        audit();
      }
    }
  }

  /**
   * When a request was sent, on both clocks: the monotonic clock may stop while the machine sleeps,
   * and the wall clock may be set back.
   */
  public record SendTime(long nanos, long wallMicros) {

    /** The current time. */
    public static SendTime now(Ticker ticker) {
      return new SendTime(ticker.nanoTime(), ticker.wallMicros());
    }

    /**
     * @return the nanoseconds since then, by the clock that has advanced further
     */
    public long age(Ticker ticker) {
      long onTheWall = TimeUnit.MICROSECONDS.toNanos(ticker.wallMicros() - wallMicros);
      return Math.max(ticker.nanoTime() - nanos, onTheWall);
    }
  }

  /** A key could not be put on a lease because the lease has ended. Nothing was changed. */
  public static final class LeaseEndedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Without a stack: it is answered, not reported. */
    public LeaseEndedException() {
      super("the lease has ended", null, false, false);
    }

    /**
     * @return the step's answer, or while there is time that of another step if the lease had ended
     */
    public static <T> CompletableFuture<T> otherwise(
        CompletableFuture<T> step, Deadline deadline, Supplier<CompletableFuture<T>> other) {
      return step.exceptionallyCompose(
          failure ->
              Failures.unwrap(failure) instanceof LeaseEndedException && !deadline.isOver()
                  ? other.get()
                  : CompletableFuture.failedFuture(failure));
    }
  }
}
