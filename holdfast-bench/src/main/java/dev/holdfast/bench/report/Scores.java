package dev.holdfast.bench.report;

import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Contender.Role;
import dev.holdfast.bench.contender.HoldfastClient;
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

  /**
   * Which Holdfast is judged: with the default options where it was measured, and otherwise, where
   * each acquisition is to ask the server, without hand-off.
   */
  String judged(String workload) {
    List<String> measured = results.contenders(store, workload);
    String asking = HoldfastClient.WITHOUT_HAND_OFF.label();
    return measured.contains(HOLDFAST) || !measured.contains(asking) ? HOLDFAST : asking;
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

  /** The median of a contender. */
  Optional<Double> median(String workload, String label, Metric metric) {
    return results.median(store.name(), workload, label, metric);
  }
}
