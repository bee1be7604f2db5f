package dev.holdfast;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One leader at a time, with a published value such as its address. Cheap to make.
 *
 * <pre>{@code
 * try (Leadership leading = locks.election("scheduler").campaign("http://10.0.0.7:8080")) {
 *   schedule(leading);
 * }
 * }</pre>
 *
 * <p><b>Promises.</b> Those of a {@link Lease}: a leader knows that it leads no more before the
 * store grants the next claim, and each leader's token is greater than that of all before it. A
 * leader that dies is replaced after its ttl and the store's expiry lag.
 *
 * <p><b>Does not promise</b> that a paused leader has noticed: where that matters, guard what it
 * writes with a {@link Fence}. See {@code docs/GUARANTEES.md}.
 *
 * <p><b>Threads.</b> All methods may be called by any thread.
 */
public interface Election {

  /** The election's name. */
  String name();

  /** The options a leadership is held with; it is never passed on within a client. No minHold. */
  LockOptions options();

  /**
   * Waits until we lead, however long.
   *
   * @param value published while we lead: at most 1 KiB of UTF-8, no NUL
   * @throws StoreException if the store does not answer
   * @throws IllegalStateException if the name is in use as another kind of lock
   */
  Leadership campaign(String value) throws InterruptedException;

  /** Waits until we lead, at most this long; null if somebody else led all the time. */
  @Nullable Leadership tryCampaign(String value, Duration wait) throws InterruptedException;

  /** As {@link #campaign}; cancelling the future gives up. */
  CompletableFuture<Leadership> campaignAsync(String value);

  /** Stands for election again and again until the candidacy, or the client, is closed. */
  Candidacy stand(String value, LeaderListener listener);

  /** {@return the leader now, as the store answers} */
  Optional<Leader> leader();

  /**
   * Reports the leader, that there is none, or that the store is silent: at first and whenever that
   * changes, until the registration is closed. A leader that comes and goes in between may be
   * skipped, but the last one is reported. The store is asked twice a second.
   */
  Registration observe(LeaderObserver observer);
}
