package dev.holdfast.bench.report;

import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.store.Store;
import dev.holdfast.bench.workload.Metric;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** All figures of a run. Not thread-safe. */
public final class Results {

  /** One slice of one contender. */
  public record Sample(
      String store, String workload, String contender, int round, Map<Metric, Double> figures) {}

  /** A contender that could not be measured, and why. */
  public record Failure(String store, String workload, String contender, String why) {}

  // Mutable state
  private final List<Sample> samples = new ArrayList<>();
  private final List<Failure> failures = new ArrayList<>();

  /** Adds a slice. */
  public void add(Sample sample) {
    samples.add(sample);
  }

  /** Adds a failure. */
  public void add(Failure failure) {
    failures.add(failure);
  }

  /** All slices, in the order in which they were measured. */
  public List<Sample> samples() {
    return List.copyOf(samples);
  }

  /** All failures. */
  public List<Failure> failures() {
    return List.copyOf(failures);
  }

  /** Returns whether there is anything about this workload on this store. */
  public boolean has(String store, String workload) {
    return of(store, workload).findAny().isPresent();
  }

  /** The contenders that were measured, in an order that does not change from run to run. */
  public List<String> contenders(Store store, String workload) {
    Set<String> measured = new TreeSet<>();
    of(store.name(), workload).forEach(sample -> measured.add(sample.contender()));
    List<String> ordered = new ArrayList<>();
    store.contenders().stream()
        .map(Contender::label)
        .filter(measured::remove)
        .forEach(ordered::add);
    ordered.addAll(measured);
    return ordered;
  }

  /** What was measured. */
  public List<Metric> metrics(String store, String workload) {
    Set<Metric> found = new LinkedHashSet<>();
    of(store, workload).forEach(sample -> found.addAll(sample.figures().keySet()));
    return List.copyOf(found);
  }

  /** The median over all slices of a contender. */
  public Optional<Double> median(String store, String workload, String contender, Metric metric) {
    List<Double> values = List.copyOf(byRound(store, workload, contender, metric).values());
    return values.isEmpty() ? Optional.empty() : Optional.of(Ratio.median(values));
  }

  /** The first contender's figures divided by the second's, each pair of one round. */
  public Optional<Ratio> ratio(
      String store, String workload, Metric metric, String first, String second) {
    Map<Integer, Double> others = byRound(store, workload, second, metric);
    List<Double> pairs = new ArrayList<>();
    byRound(store, workload, first, metric)
        .forEach(
            (round, value) -> {
              Double other = others.get(round);
              if (other != null && other != 0) {
                pairs.add(value / other);
              }
            });
    return pairs.isEmpty() ? Optional.empty() : Optional.of(Ratio.of(pairs));
  }

  private Map<Integer, Double> byRound(
      String store, String workload, String contender, Metric metric) {
    Map<Integer, Double> values = new LinkedHashMap<>();
    of(store, workload)
        .filter(sample -> sample.contender().equals(contender))
        .filter(sample -> sample.figures().containsKey(metric))
        .forEach(sample -> values.put(sample.round(), sample.figures().get(metric)));
    return values;
  }

  private Stream<Sample> of(String store, String workload) {
    return samples.stream()
        .filter(sample -> sample.store().equals(store) && sample.workload().equals(workload));
  }
}
