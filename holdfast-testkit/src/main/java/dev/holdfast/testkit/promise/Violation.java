package dev.holdfast.testkit.promise;

import java.util.List;

/**
 * A promise that was broken.
 *
 * @param promise which
 * @param what how, in words
 * @param observations what shows it, in the order of time
 */
public record Violation(Promise promise, String what, List<Observation> observations) {

  /** Keeps the observations. */
  public Violation {
    observations = List.copyOf(observations);
  }

  /** Several lines: the promise, how it was broken, and what shows it. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append(promise).append(": ").append(promise.sentence()).append('\n').append(what);
    observations.forEach(observation -> text.append("\n  ").append(observation));
    return text.toString();
  }
}
