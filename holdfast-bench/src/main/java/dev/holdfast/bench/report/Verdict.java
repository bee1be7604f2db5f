package dev.holdfast.bench.report;

/**
 * Returns whether a bar is met.
 *
 * @param store where
 * @param workload what was measured
 * @param bar what is asked for
 * @param figure what was found
 * @param met whether that is enough
 */
public record Verdict(String store, String workload, String bar, String figure, boolean met) {

  /** For people. */
  public String line() {
    return store + ", " + workload + ": " + bar + ": " + figure;
  }
}
