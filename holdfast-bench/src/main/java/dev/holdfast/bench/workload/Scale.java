package dev.holdfast.bench.workload;

import java.time.Duration;
import java.util.List;

/**
 * How much of everything.
 *
 * @param slice how long one contender is measured at a time
 * @param firstWarmUp how long each runs on a server before anything counts, until its code is
 *     compiled
 * @param warmUp how long each runs before anything counts in the workloads after that
 * @param rounds how often each has its turn, and so how many pairs there are
 * @param handOffs how long a slice of hand-offs lasts: each of them takes an eighth of a second
 * @param sustained how long a client comes back that keeps its claim
 * @param window how long requests are counted where little happens
 * @param waiters how many wait
 * @param clients in how many clients, at most
 * @param leases how many are held
 * @param taking how long taking them may last
 * @param idleNames how many locks the store remembers
 * @param localWaiters how many wait in one client
 * @param isBrief whether only Holdfast is measured where its bars compare it with nobody
 */
public record Scale(
    Duration slice,
    Duration firstWarmUp,
    Duration warmUp,
    int rounds,
    Duration handOffs,
    Duration sustained,
    Duration window,
    List<Integer> waiters,
    int clients,
    int leases,
    Duration taking,
    int idleNames,
    List<Integer> localWaiters,
    boolean isBrief) {

  /** For figures. */
  public static Scale full() {
    return new Scale(
        Duration.ofMillis(500),
        Duration.ofSeconds(10),
        Duration.ofSeconds(10),
        9,
        Duration.ofSeconds(4),
        Duration.ofSeconds(60),
        Duration.ofSeconds(10),
        List.of(1, 10, 100),
        10,
        10_000,
        Duration.ofSeconds(45),
        1_000_000,
        List.of(10, 100, 1_000, 10_000),
        false);
  }

  /** For figures within half an hour: fewer and shorter slices, and no peers without a bar. */
  public static Scale brief() {
    return new Scale(
        Duration.ofMillis(500),
        Duration.ofSeconds(8),
        Duration.ofMillis(1500),
        5,
        Duration.ofSeconds(2),
        Duration.ofSeconds(20),
        Duration.ofSeconds(5),
        List.of(1, 10, 100),
        10,
        10_000,
        Duration.ofSeconds(30),
        100_000,
        List.of(10, 100, 1_000, 10_000),
        true);
  }

  /** To see that everything works: the figures mean little. */
  public static Scale quick() {
    return new Scale(
        Duration.ofMillis(50),
        Duration.ofMillis(50),
        Duration.ofMillis(50),
        2,
        Duration.ofMillis(300),
        Duration.ofMillis(100),
        Duration.ofMillis(100),
        List.of(1, 4),
        2,
        100,
        Duration.ofSeconds(3),
        1_000,
        List.of(10, 100),
        false);
  }

  /** The same with this many rounds. */
  public Scale withRounds(int count) {
    return new Scale(
        slice,
        firstWarmUp,
        warmUp,
        count,
        handOffs,
        sustained,
        window,
        waiters,
        clients,
        leases,
        taking,
        idleNames,
        localWaiters,
        isBrief);
  }
}
