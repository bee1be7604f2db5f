package dev.holdfast.torture.judge;

import dev.holdfast.testkit.promise.Promise;
import java.util.List;

/**
 * How a promise fared.
 *
 * @param promise which
 * @param judged whether a broken one fails the run; the others have bounds that a busy machine may
 *     miss, and are only counted
 * @param broken how often it was broken although nothing excuses that
 * @param expected how often it did not hold where the documentation says so: after a break, or
 *     after a fault by which the store may forget
 * @param examples what broke it, from the history
 */
public record Verdict(
    Promise promise, boolean judged, int broken, int expected, List<String> examples) {

  /** {@return "held", or how often it was broken, or a bound missed} */
  public String word() {
    String word = broken == 0 ? "held" : judged ? "BROKEN" : "missed";
    return broken == 0 ? word : word + " " + broken + " times";
  }

  /** {@return whether it does not fail the run} */
  public boolean passes() {
    return broken == 0 || !judged;
  }
}
