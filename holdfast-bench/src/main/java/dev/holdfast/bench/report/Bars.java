package dev.holdfast.bench.report;

import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Feature;
import dev.holdfast.bench.contender.Floor;
import dev.holdfast.bench.store.Store;
import dev.holdfast.bench.workload.IdleNames;
import dev.holdfast.bench.workload.Metric;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * What Holdfast is held to on one store, workload by workload. What was not measured is not judged;
 * what has failed is not met.
 */
final class Bars {

  /** What is called flat may rise by a quarter. */
  private static final double FLAT = 1.25;

  /** Where all leases of a client live and die with one session. */
  private static final Set<String> SESSIONS = Set.of("zookeeper", "etcd", "consul");

  private final Store store;
  private final Results results;
  private final Scores scores;

  // Mutable state
  private final List<Verdict> verdicts = new ArrayList<>();

  private Bars(Store store, Results results) {
    this.store = store;
    this.results = results;
    this.scores = new Scores(store, results);
  }

  /** All of them. */
  static List<Verdict> judge(Store store, Results results) {
    Bars bars = new Bars(store, results);
    if (!store.name().equals("cli")) { // nothing starts as fast as flock: shown, not judged
      bars.uncontended();
      bars.manyLocks();
      bars.oneLock();
      bars.fourJvms();
      bars.handOff();
      bars.idle();
      bars.requests();
      bars.held();
      bars.reentry();
      bars.growth();
    }
    bars.failures();
    return bars.verdicts;
  }

  private void uncontended() {
    atMostTheFloor("uncontended", 1.15);
    atLeastTheBest("uncontended", 1, "peer that checks the owner", owner());
  }

  private void manyLocks() {
    atMostTheFloor("many-locks", 1.25);
    atLeastTheBest("many-locks", 3, "Redisson", peer -> peer.label().equals("Redisson RLock"));
  }

  private void oneLock() {
    atLeastTheBest("one-lock", 20, "peer", peer -> true);
    atMost("one-lock", Metric.SPREAD, 2);
    atMost("one-lock", Metric.VIOLATIONS, 0);
  }

  private void fourJvms() {
    atLeastTheBest("jvms", 2, "peer", peer -> true);
    atLeast("jvms", Metric.JVM_SHARE, 0.5);
    atMost("jvms", Metric.VIOLATIONS, 0);
  }

  private void handOff() {
    if (!store.pushes()) {
      atMost("hand-off", Metric.HAND_OFF, 20);
      return;
    }
    scores
        .bestPeer("hand-off", Metric.HAND_OFF, peer -> true)
        .ifPresent(
            peer ->
                ratio("hand-off", Metric.HAND_OFF, Scores.HOLDFAST, peer)
                    .ifPresent(
                        r ->
                            judge(
                                "hand-off",
                                "p50 ≤ the best peer's",
                                r + " × that of " + peer,
                                r.median() <= 1)));
  }

  private void idle() {
    List<Metric> metrics = scores.metrics("idle");
    if (!metrics.isEmpty()) {
      atMost("idle", metrics.get(metrics.size() - 1), store.pushes() ? 2 : 10);
    }
  }

  private void requests() {
    List<Metric> metrics = scores.metrics("requests");
    metrics.forEach(metric -> atMost("requests", metric, 4));
    flat("requests", metrics);
  }

  private void held() {
    atMost("held", Metric.THREADS, 3);
    if (store.name().equals("redis")) {
      atMost("held", Metric.RENEWING, 100);
    } else if (SESSIONS.contains(store.name())) {
      atMost("held", Metric.RENEWING, 1); // one keep-alive for all, every few seconds
    }
    atMost("held", Metric.HEAP, 2048);
    Optional<Double> before = scores.holdfast("held", Metric.RENEWING);
    Optional<Double> after = scores.holdfast("held", Metric.RENEWING_LATER);
    if (before.isPresent() && after.isPresent()) {
      judge(
          "held",
          "requests/s unchanged after churn",
          Figures.text(before.get()) + " → " + Figures.text(after.get()),
          after.get() <= before.get() * FLAT + 1);
    }
  }

  private void reentry() {
    scores
        .holdfast("reentry", Metric.REQUESTS_EACH)
        .ifPresent(
            each ->
                judge(
                    "reentry",
                    "no request but the lease's renewal",
                    Figures.text(each) + " per acquisition",
                    each < 0.001));
    atLeast("reentry", Metric.RATE, 10_000_000);
  }

  private void growth() {
    ratio("idle-names", Metric.RATE, IdleNames.EMPTY, IdleNames.FULL)
        .ifPresent(
            r ->
                judge(
                    "idle-names",
                    "≤ 1.2 × the time among no other locks",
                    r.toString(),
                    r.median() <= 1.2));
    flat("waiters", scores.metrics("waiters"));
  }

  private void failures() {
    results.failures().stream()
        .filter(f -> f.store().equals(store.name()) && f.contender().equals(Scores.HOLDFAST))
        .forEach(f -> judge(f.workload(), "runs", f.why(), false));
  }

  private static Predicate<Contender> owner() {
    return peer -> peer.gives(Feature.OWNER_CHECK);
  }

  private void atMostTheFloor(String workload, double times) {
    ratio(workload, Metric.RATE, Floor.LABEL, Scores.HOLDFAST)
        .ifPresent(
            r ->
                judge(
                    workload,
                    "≤ " + times + " × the floor's time",
                    r.toString(),
                    r.median() <= times));
  }

  private void atLeastTheBest(String workload, int times, String who, Predicate<Contender> which) {
    scores
        .bestPeer(workload, Metric.RATE, which)
        .ifPresent(
            peer ->
                ratio(workload, Metric.RATE, Scores.HOLDFAST, peer)
                    .ifPresent(
                        r ->
                            judge(
                                workload,
                                "≥ " + times + " × the rate of the best " + who,
                                r + " × " + peer,
                                r.median() >= times)));
  }

  private void atMost(String workload, Metric metric, double limit) {
    scores
        .holdfast(workload, metric)
        .ifPresent(
            value ->
                judge(
                    workload,
                    metric.words() + " ≤ " + Figures.text(limit),
                    Figures.text(value),
                    value <= limit));
  }

  private void atLeast(String workload, Metric metric, double limit) {
    scores
        .holdfast(workload, metric)
        .ifPresent(
            value ->
                judge(
                    workload,
                    metric.words() + " ≥ " + Figures.text(limit),
                    Figures.text(value),
                    value >= limit));
  }

  /** The metrics of a workload are the same thing for more and more waiters. */
  private void flat(String workload, List<Metric> metrics) {
    List<Double> values =
        metrics.stream().flatMap(metric -> scores.holdfast(workload, metric).stream()).toList();
    if (values.size() > 1) {
      judge(
          workload,
          "flat, however many wait",
          values.stream().map(Figures::text).collect(Collectors.joining(" → ")),
          values.get(values.size() - 1) <= values.get(0) * FLAT);
    }
  }

  private Optional<Ratio> ratio(String workload, Metric metric, String first, String second) {
    return scores.ratio(workload, metric, first, second);
  }

  private void judge(String workload, String bar, String figure, boolean met) {
    verdicts.add(new Verdict(store.name(), workload, bar, figure, met));
  }
}
