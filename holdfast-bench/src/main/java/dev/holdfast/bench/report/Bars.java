package dev.holdfast.bench.report;

import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Feature;
import dev.holdfast.bench.contender.HoldfastClient;
import dev.holdfast.bench.store.Store;
import dev.holdfast.bench.workload.IdleNames;
import dev.holdfast.bench.workload.Metric;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What Holdfast is held to on one store, workload by workload, each with what it means for a user
 * where it is missed. What was not measured is not judged; what has failed is not met.
 */
final class Bars {

  private static final String DEFAULT = HoldfastClient.BY_DEFAULT.label();
  private static final String ASKING = HoldfastClient.WITHOUT_HAND_OFF.label();
  private static final String SLICED = HoldfastClient.WITH_SLICE.label();

  /** Where all leases of a client live and die with one session. */
  private static final Set<String> SESSIONS = Set.of("zookeeper", "etcd", "consul");

  /** Where idle claims are kept, and tokens come from a clock. */
  private static final Set<String> KEPT_BY_CLOCK = Set.of("redis", "postgresql");

  /** Half of what it was more than the floor's, on each. */
  private static final Map<String, Double> PROCESSOR =
      Map.of("redis", 1.10, "postgresql", 1.25, "mariadb", 1.70, "zookeeper", 1.28);

  /** Half of the way from what it was to the floor's: bytes allocated, and sleeps of threads. */
  private static final Map<String, Integer> BYTES =
      Map.of("redis", 6_400, "postgresql", 4_250, "zookeeper", 12_000);

  private static final Map<String, Double> SLEEPS = Map.of("postgresql", 4.0, "zookeeper", 7.8);

  private static final double RENEWALS_OF_SQL = 33; // 100 at a ttl of 10 s, and this is of 30 s

  private final Store store;
  private final Judge judge;

  private Bars(Store store, Judge judge) {
    this.store = store;
    this.judge = judge;
  }

  /** All of them. */
  static List<Verdict> judge(Store store, Results results) {
    Bars bars = new Bars(store, new Judge(store, results));
    if (store.isDurable()) {
      bars.durable();
    } else if (!store.name().equals("cli")) { // nothing starts as fast as flock: shown, not judged
      bars.uncontended();
      bars.repeat();
      bars.manyLocks();
      bars.oneLock();
      bars.fourJvms();
      bars.fairness();
      bars.handOff();
      bars.idle();
      bars.requests();
      bars.held();
      bars.reentry();
      bars.growth();
    }
    bars.judge.ran("Do not rely on it here before the cause is known.");
    return bars.judge.verdicts();
  }

  private void durable() {
    String slower = "As a database is used in production, others serve a caller sooner.";
    judge.atMostTheFloorsTime("uncontended", 1.2, "A caller waits longer than a commit takes.");
    judge.atLeastTheBest("uncontended", ASKING, 1, "peer", peer -> true, slower);
    judge.atMostTheFloorsTime(
        "many-locks", 1.1, "Threads with separate locks wait for each other's commits.");
    judge.atLeastTheBest("many-locks", ASKING, 1, "peer", peer -> true, slower);
  }

  private void uncontended() {
    judge.atMostTheFloorsTime(
        "uncontended", 1.15, "A free lock takes longer than its two requests need.");
    Predicate<Contender> owner = peer -> peer.gives(Feature.OWNER_CHECK);
    String slower = "Another library takes a free lock sooner.";
    judge.atLeastTheBest("uncontended", ASKING, 1, "peer that checks the owner", owner, slower);
    Double processor = PROCESSOR.get(store.name());
    if (processor != null) {
      judge.atMostTheFloorsProcessorTime(
          "uncontended", processor, "A busy client has less processor time left for its work.");
    }
    Integer bytes = BYTES.get(store.name());
    if (bytes != null) {
      judge.atMost("uncontended", Metric.BYTES_EACH, bytes, "A busy client collects garbage more.");
    }
    Double sleeps = SLEEPS.get(store.name());
    if (sleeps != null) {
      judge.atMost("uncontended", Metric.SLEEPS_EACH, sleeps, "Threads are switched more often.");
    }
  }

  private void repeat() {
    if (KEPT_BY_CLOCK.contains(store.name())) {
      String slow = "A client that comes back to its lock waits for the server too often.";
      judge.atLeast("repeat", Metric.RATE, 500_000, slow);
      judge.atLeast("repeat", Metric.PER_REQUEST, 20, slow);
    }
  }

  private void manyLocks() {
    judge.atMostTheFloorsTime(
        "many-locks", 1.25, "A client with many threads gets less out of the server.");
    if (store.name().equals("redis")) {
      Predicate<Contender> redisson = peer -> peer.label().equals("Redisson RLock");
      String fewer = "With many threads the gain over Redisson is smaller.";
      judge.atLeastTheBest("many-locks", ASKING, 3, "Redisson", redisson, fewer);
    } else {
      String slower = "With many threads another library is faster.";
      judge.atLeastTheBest("many-locks", ASKING, 1, "peer", peer -> true, slower);
    }
  }

  private void oneLock() {
    String slower = "Threads of one client share a lock more slowly.";
    judge.atLeastTheBest("one-lock", DEFAULT, 20, "peer", peer -> true, slower);
    judge.atLeastTheBest("one-lock", ASKING, 1, "peer", peer -> true, slower);
    judge.atMost("one-lock", Metric.SPREAD, 2, "Some threads of a client wait longer than others.");
    judge.atMost("one-lock", Metric.VIOLATIONS, 0, "Two had the lock at once: do not use it.");
  }

  private void fourJvms() {
    String slower = "A contended lock is slower than with another library.";
    judge.atLeastTheBest("jvms", DEFAULT, 1, "peer", peer -> true, slower);
    String slice = "A slice buys less throughput than it costs others in waiting.";
    judge.atLeastTheBest("jvms", SLICED, 2, "peer", peer -> true, slice);
    judge.atLeast("jvms", Metric.JVM_SHARE, 0.5, "Some processes wait longer than others.");
    judge.atMost("jvms", Metric.VIOLATIONS, 0, "Two had the lock at once: do not use it.");
  }

  private void fairness() {
    if (store.contender(DEFAULT).gives(Feature.FAIR)) {
      String unfair = "A client with many threads takes turns from one with few.";
      judge.atMost("fairness", Metric.CLIENT_SPREAD, 2, unfair);
      judge.atMost("fairness-1ms", Metric.CLIENT_SPREAD, 2, unfair);
    }
  }

  private void handOff() {
    String late = "The next client learns later than it could that the lock is free.";
    if (!store.pushes()) {
      judge.atMost("hand-off", Metric.HAND_OFF, store.name().equals("mariadb") ? 10 : 20, late);
    } else if (SESSIONS.contains(store.name())) {
      judge.atMostTheBest("hand-off", Metric.HAND_OFF, 1.2, "p50 ≤ 1.2 × the best peer's", late);
    } else {
      judge.atMostTheBest("hand-off", Metric.HAND_OFF, 1, "p50 ≤ the best peer's", late);
    }
  }

  private void idle() {
    List<Metric> metrics = judge.metrics("idle");
    if (!metrics.isEmpty()) {
      Metric most = metrics.get(metrics.size() - 1);
      judge.atMost("idle", most, store.pushes() ? 2 : 10, "Waiting costs the server requests.");
    }
  }

  private void requests() {
    int limit = store.name().equals("mariadb") ? 6 : 4;
    List<Metric> metrics =
        judge.metrics("requests").stream().filter(Metric::isRequestsPerTurn).toList();
    for (String label : List.of(DEFAULT, ASKING)) {
      String costly = "A contended lock costs the server more requests.";
      metrics.forEach(metric -> judge.atMost("requests", label, metric, limit, costly));
      judge.flat("requests", label, metrics, "The more clients wait, the more each turn costs.");
    }
  }

  private void held() {
    judge.atMost("held", Metric.THREADS, 3, "Holding leases costs threads.");
    String costly = "Holding leases costs the server requests.";
    if (store.name().equals("redis")) {
      judge.atMost("held", Metric.RENEWING, 100, costly);
    } else if (store.name().equals("postgresql")) {
      judge.atMost("held", Metric.RENEWING, RENEWALS_OF_SQL, costly);
    } else if (SESSIONS.contains(store.name())) {
      judge.atMost("held", Metric.RENEWING, 1, costly); // one keep-alive, every few seconds
    }
    judge.atMost("held", Metric.HEAP, 2048, "Holding very many leases needs more memory.");
    judge.unchanged(
        "held",
        Metric.RENEWING,
        Metric.RENEWING_LATER,
        "requests/s unchanged after churn",
        "The longer a client works, the more its leases cost.");
  }

  private void reentry() {
    judge.atMost(
        "reentry", Metric.REQUESTS_EACH, 0.001, "Taking a held lock again costs requests.");
    judge.atLeast(
        "reentry", Metric.RATE, 10_000_000, "Taking a held lock again takes over 100 ns.");
  }

  private void growth() {
    judge.atMostTimesTheOther(
        "idle-names",
        IdleNames.EMPTY,
        IdleNames.FULL,
        1.2,
        "≤ 1.2 × the time among no other locks",
        "A server slows down with the number of locks it remembers.");
    judge.flat(
        "waiters",
        DEFAULT,
        judge.metrics("waiters"),
        "The more threads wait, the longer each turn takes.");
  }
}
