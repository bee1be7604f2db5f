package dev.holdfast.bench.report;

import dev.holdfast.bench.Store;
import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Contender.Role;
import dev.holdfast.bench.contender.Feature;
import dev.holdfast.bench.contender.Floor;
import dev.holdfast.bench.workload.Metric;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** What Holdfast is held to on one store. A workload that was not measured is not judged. */
final class Bars {

  private static final String HOLDFAST = "Holdfast";

  private final Store store;
  private final Results results;

  // Mutable state
  private final List<Verdict> verdicts = new ArrayList<>();

  Bars(Store store, Results results) {
    this.store = store;
    this.results = results;
  }

  List<Verdict> verdicts() {
    if (verdicts.isEmpty()) {
      uncontended();
      manyLocks();
      oneLock();
    }
    return verdicts;
  }

  private void uncontended() {
    String workload = "uncontended";
    ratio(workload, Metric.RATE, Floor.LABEL, HOLDFAST)
        .ifPresent(
            r -> judge(workload, "≤ 1.15 × the floor's time", r.toString(), r.median() <= 1.15));
    best(workload, Metric.RATE, peer -> peer.gives(Feature.OWNER_CHECK))
        .ifPresent(
            peer ->
                ratio(workload, Metric.RATE, HOLDFAST, peer)
                    .ifPresent(
                        r ->
                            judge(
                                workload,
                                "no slower than any peer that checks the owner",
                                r + " × the rate of " + peer,
                                r.median() >= 1)));
  }

  private void manyLocks() {
    String workload = "many-locks";
    ratio(workload, Metric.RATE, Floor.LABEL, HOLDFAST)
        .ifPresent(
            r -> judge(workload, "≤ 1.25 × the floor's time", r.toString(), r.median() <= 1.25));
    ratio(workload, Metric.RATE, HOLDFAST, "Redisson RLock")
        .ifPresent(r -> judge(workload, "≥ 3 × Redisson's rate", r.toString(), r.median() >= 3));
  }

  private void oneLock() {
    String workload = "one-lock";
    timesTheBest(workload, 20);
    median(workload, Metric.SPREAD)
        .ifPresent(
            spread ->
                judge(
                    workload,
                    "most / fewest turns of a thread ≤ 2",
                    Figures.text(spread),
                    spread <= 2));
  }

  private void timesTheBest(String workload, int times) {
    best(workload, Metric.RATE, peer -> true)
        .ifPresent(
            peer ->
                ratio(workload, Metric.RATE, HOLDFAST, peer)
                    .ifPresent(
                        r ->
                            judge(
                                workload,
                                "≥ " + times + " × the best peer's rate",
                                r + " × " + peer,
                                r.median() >= times)));
  }

  private void judge(String workload, String bar, String figure, boolean met) {
    verdicts.add(new Verdict(store.name(), workload, bar, figure, met));
  }

  private Optional<Double> median(String workload, Metric metric) {
    return results.median(store.name(), workload, HOLDFAST, metric);
  }

  private Optional<Ratio> ratio(String workload, Metric metric, String first, String second) {
    return results.ratio(store.name(), workload, metric, first, second);
  }

  /** The peer with the best median. */
  private Optional<String> best(String workload, Metric metric, Predicate<Contender> which) {
    Comparator<String> byMedian =
        Comparator.comparing(
            label -> results.median(store.name(), workload, label, metric).orElseThrow());
    return store.contenders().stream()
        .filter(contender -> contender.role() == Role.PEER && which.test(contender))
        .map(Contender::label)
        .filter(label -> results.median(store.name(), workload, label, metric).isPresent())
        .max(metric.better() == Metric.Better.HIGHER ? byMedian : byMedian.reversed());
  }
}
