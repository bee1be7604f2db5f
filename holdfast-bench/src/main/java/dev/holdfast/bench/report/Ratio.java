package dev.holdfast.bench.report;

import java.util.List;

/**
 * How one contender compares with another over the pairs of slices that followed each other: the
 * machine may change from pair to pair, but hardly within one.
 */
public record Ratio(double median, double lowest, double highest) {

  /** Of the ratios of the pairs, at least one. */
  public static Ratio of(List<Double> pairs) {
    List<Double> sorted = pairs.stream().sorted().toList();
    return new Ratio(median(sorted), sorted.get(0), sorted.get(sorted.size() - 1));
  }

  /** The middle one, or the mean of the two in the middle. */
  static double median(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    int half = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(half)
        : (sorted.get(half - 1) + sorted.get(half)) / 2;
  }

  @Override
  public String toString() {
    return Figures.text(median) + " (" + Figures.text(lowest) + "–" + Figures.text(highest) + ")";
  }
}
