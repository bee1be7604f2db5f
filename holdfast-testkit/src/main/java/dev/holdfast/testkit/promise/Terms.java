package dev.holdfast.testkit.promise;

import java.time.Duration;

/**
 * Within which times the promises of a history are to be kept.
 *
 * @param ttl the longest ttl of a claim
 * @param renewEvery the longest time between two renewals
 * @param operationTimeout how long a client waits for one answer
 * @param takeover how long a lock may be without a holder, in calm, while somebody waits
 * @param handOver how long a released lock may be without a holder, in calm, while somebody waits;
 *     as long as takeover where no sooner one is promised
 * @param keeps for how long a client may keep a claim that nobody holds, at most
 * @param arrival how much earlier than another a request must be made, in calm, to come before it
 * @param slack what clocks, timers and machines may be late by
 * @param slowest the rate of the slowest client's clock; 1 where all clocks are one
 * @param fastest the rate of the fastest client's clock
 * @param fair whether the store is
 */
public record Terms(
    Duration ttl,
    Duration renewEvery,
    Duration operationTimeout,
    Duration takeover,
    Duration handOver,
    Duration keeps,
    Duration arrival,
    Duration slack,
    double slowest,
    double fastest,
    boolean fair) {

  /** For one machine, a store that answers at once, and the usual ratios. */
  public static Terms of(
      Duration ttl, Duration operationTimeout, Duration expiryLag, boolean fair) {
    Duration takeover = ttl.multipliedBy(2).plus(expiryLag).plus(operationTimeout.multipliedBy(2));
    return new Terms(
        ttl,
        ttl.dividedBy(3),
        operationTimeout,
        takeover,
        takeover,
        Duration.ofMillis(100),
        operationTimeout,
        Duration.ofMillis(500),
        1,
        1,
        fair);
  }

  /** The same with other bounds on being late. */
  public Terms slack(Duration late) {
    return new Terms(
        ttl,
        renewEvery,
        operationTimeout,
        takeover,
        handOver,
        keeps,
        arrival,
        late,
        slowest,
        fastest,
        fair);
  }

  /** The same where a released lock goes to the next one within this time. */
  public Terms handOver(Duration most) {
    return new Terms(
        ttl,
        renewEvery,
        operationTimeout,
        takeover,
        most,
        keeps,
        arrival,
        slack,
        slowest,
        fastest,
        fair);
  }

  /** The same with clients whose clocks run at rates between these. */
  public Terms rates(double slowestRate, double fastestRate) {
    return new Terms(
        ttl,
        renewEvery,
        operationTimeout,
        takeover,
        handOver,
        keeps,
        arrival,
        slack,
        slowestRate,
        fastestRate,
        fair);
  }

  /** {@return the longest that this many nanoseconds of a client's clock may take} */
  public long most(long nanos) {
    return (long) (nanos / slowest) + slack.toNanos();
  }

  /** {@return the shortest that this many nanoseconds of a client's clock may take} */
  public long least(long nanos) {
    return (long) (nanos / fastest) - slack.toNanos();
  }
}
