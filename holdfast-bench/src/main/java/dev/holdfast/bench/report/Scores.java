package dev.holdfast.bench.report;

import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Contender.Role;
import dev.holdfast.bench.store.Store;
import dev.holdfast.bench.workload.Metric;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** What was found on one store, as it is asked for in judging it. */
record Scores(Store store, Results results) {

  static final String HOLDFAST = "Holdfast";

  /** What was measured in a workload, in its order. */
  List<Metric> metrics(String workload) {
    return results.metrics(store.name(), workload);
  }

  /** Holdfast's median. */
  Optional<Double> holdfast(String workload, Metric metric) {
    return median(workload, HOLDFAST, metric);
  }

  /** The first one's figures divided by the second's. */
  Optional<Ratio> ratio(String workload, Metric metric, String first, String second) {
    return results.ratio(store.name(), workload, metric, first, second);
  }

  /** The peer with the best median among those. */
  Optional<String> bestPeer(String workload, Metric metric, Predicate<Contender> which) {
    Comparator<String> byMedian =
        Comparator.comparing(label -> median(workload, label, metric).orElseThrow());
    return store.contenders().stream()
        .filter(contender -> contender.role() == Role.PEER && which.test(contender))
        .map(Contender::label)
        .filter(label -> median(workload, label, metric).isPresent())
        .max(metric.better() == Metric.Better.HIGHER ? byMedian : byMedian.reversed());
  }

  private Optional<Double> median(String workload, String label, Metric metric) {
    return results.median(store.name(), workload, label, metric);
  }
}
