package dev.holdfast.testkit.explorer;

import java.util.List;

/**
 * An invariant that did not hold.
 *
 * @param invariant which one
 * @param what what was seen
 * @param trace the events that led there, one line each
 */
public record Violation(Invariant invariant, String what, List<String> trace) {

  /** Copies the trace. */
  public Violation {
    trace = List.copyOf(trace);
  }

  /** The trace as lines, and what was wrong after them. */
  @Override
  public String toString() {
    return invariant + ": " + what + "\n  " + String.join("\n  ", trace);
  }
}
