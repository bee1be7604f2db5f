package dev.holdfast.bench.report;

import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Floor;
import dev.holdfast.bench.store.Store;
import dev.holdfast.bench.workload.Metric;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Compares what was found on one store with what is asked for. */
final class Judge {

  /** What is called flat may rise by a quarter. */
  private static final double FLAT = 1.25;

  private final Store store;
  private final Results results;
  private final Scores scores;

  // Mutable state
  private final List<Verdict> verdicts = new ArrayList<>();

  Judge(Store store, Results results) {
    this.store = store;
    this.results = results;
    this.scores = new Scores(store, results);
  }

  List<Verdict> verdicts() {
    return List.copyOf(verdicts);
  }

  void atMostTheFloorsTime(String workload, double times, String meaning) {
    scores
        .ratio(workload, Metric.RATE, Floor.LABEL, scores.judged(workload))
        .ifPresent(r -> add(workload, "≤ " + times + " × the floor's time", r, times, meaning));
  }

  void atMostTheFloorsProcessorTime(String workload, double times, String meaning) {
    scores
        .ratio(workload, Metric.PROCESSOR_EACH, scores.judged(workload), Floor.LABEL)
        .ifPresent(
            r -> add(workload, "≤ " + times + " × the floor's processor time", r, times, meaning));
  }

  /** The rate of this contender, compared with the best of these peers. */
  void atLeastTheBest(
      String workload,
      String label,
      int times,
      String who,
      Predicate<Contender> which,
      String meaning) {
    scores
        .bestPeer(workload, Metric.RATE, which)
        .ifPresent(
            peer ->
                scores
                    .ratio(workload, Metric.RATE, label, peer)
                    .ifPresent(
                        r ->
                            add(
                                workload,
                                words(workload, label)
                                    + "≥ "
                                    + times
                                    + " × the rate of the best "
                                    + who,
                                r + " × " + peer,
                                r.median() >= times,
                                meaning)));
  }

  /** Of a metric that is better when it is lower. */
  void atMostTheBest(String workload, Metric metric, double times, String bar, String meaning) {
    String label = scores.judged(workload);
    scores
        .bestPeer(workload, metric, peer -> true)
        .ifPresent(
            peer ->
                scores
                    .ratio(workload, metric, label, peer)
                    .ifPresent(
                        r ->
                            add(
                                workload,
                                bar,
                                r + " × that of " + peer,
                                r.median() <= times,
                                meaning)));
  }

  void atMostTimesTheOther(
      String workload, String one, String other, double times, String bar, String meaning) {
    scores
        .ratio(workload, Metric.RATE, one, other)
        .ifPresent(r -> add(workload, bar, r, times, meaning));
  }

  void atMost(String workload, Metric metric, double limit, String meaning) {
    atMost(workload, scores.judged(workload), metric, limit, meaning);
  }

  void atMost(String workload, String label, Metric metric, double limit, String meaning) {
    String bar = words(workload, label) + metric.words() + " ≤ " + Figures.text(limit);
    scores
        .median(workload, label, metric)
        .ifPresent(value -> add(workload, bar, Figures.text(value), value <= limit, meaning));
  }

  void atLeast(String workload, Metric metric, double limit, String meaning) {
    String bar = metric.words() + " ≥ " + Figures.text(limit);
    scores
        .median(workload, scores.judged(workload), metric)
        .ifPresent(value -> add(workload, bar, Figures.text(value), value >= limit, meaning));
  }

  /** The metrics are the same thing for more and more waiters. */
  void flat(String workload, String label, List<Metric> metrics, String meaning) {
    List<Double> values =
        metrics.stream().flatMap(m -> scores.median(workload, label, m).stream()).toList();
    if (values.size() > 1) {
      add(
          workload,
          words(workload, label) + "flat, however many wait",
          values.stream().map(Figures::text).collect(Collectors.joining(" → ")),
          values.get(values.size() - 1) <= values.get(0) * FLAT,
          meaning);
    }
  }

  /** The second metric is what became of the first. */
  void unchanged(String workload, Metric metric, Metric later, String bar, String meaning) {
    Optional<Double> before = scores.median(workload, scores.judged(workload), metric);
    Optional<Double> after = scores.median(workload, scores.judged(workload), later);
    if (before.isPresent() && after.isPresent()) {
      add(
          workload,
          bar,
          Figures.text(before.get()) + " → " + Figures.text(after.get()),
          after.get() <= before.get() * FLAT + 1,
          meaning);
    }
  }

  /** Holdfast ran wherever it was to run. */
  void ran(String meaning) {
    results.failures().stream()
        .filter(f -> f.store().equals(store.name()) && f.contender().startsWith(Scores.HOLDFAST))
        .forEach(f -> add(f.workload(), "runs", f.why(), false, meaning));
  }

  List<Metric> metrics(String workload) {
    return scores.metrics(workload);
  }

  /** Nothing for what a workload judges, and the options in front of the bar for all else. */
  private String words(String workload, String label) {
    return label.equals(scores.judged(workload))
        ? ""
        : label.replace(Scores.HOLDFAST + ", ", "") + ": ";
  }

  private void add(String workload, String bar, Ratio ratio, double atMost, String meaning) {
    add(workload, bar, ratio.toString(), ratio.median() <= atMost, meaning);
  }

  private void add(String workload, String bar, String figure, boolean met, String meaning) {
    verdicts.add(new Verdict(store.name(), workload, bar, figure, met, meaning));
  }
}
