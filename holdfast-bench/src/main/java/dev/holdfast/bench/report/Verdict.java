package dev.holdfast.bench.report;

/**
 * How a bar was judged.
 *
 * @param store where
 * @param workload what was measured
 * @param bar what is asked for
 * @param figure what was found
 * @param met whether that is enough
 * @param meaning what a user has to expect where it is missed
 */
public record Verdict(
    String store, String workload, String bar, String figure, boolean met, String meaning) {

  /** For people. */
  public String line() {
    return store + ", " + workload + ": " + bar + ": " + figure;
  }
}
