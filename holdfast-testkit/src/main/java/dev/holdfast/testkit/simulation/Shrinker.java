package dev.holdfast.testkit.simulation;

import dev.holdfast.testkit.promise.Promise;
import dev.holdfast.testkit.promise.Violation;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Leaves out of a schedule what the violation does not need: halves of it first, then ever smaller
 * parts, until no single step can be missed, or its bound of runs is reached.
 */
final class Shrinker {

  private static final int RUNS = 1_000;

  private final Setting setting;
  private final Promise promise;

  // Mutable state
  private Script shortest;
  private Violation violation;
  private int runs;

  private Shrinker(Setting setting, Script script, Violation violation) {
    this.setting = setting;
    this.promise = violation.promise();
    this.shortest = script;
    this.violation = violation;
  }

  /** What is left, and how it breaks the promise. */
  record Shrunk(Script script, Violation violation, int runs) {}

  static Shrunk shrink(Setting setting, Script script, Violation violation) {
    Shrinker shrinker = new Shrinker(setting, script, violation);
    shrinker.shrink();
    return new Shrunk(shrinker.shortest, shrinker.violation, shrinker.runs);
  }

  private void shrink() {
    leaveOutTheEnd();
    int parts = 2;
    while (shortest.steps().size() > 1 && parts <= shortest.steps().size() && runs < RUNS) {
      if (leaveOutOneOf(parts)) {
        parts = Math.max(2, parts - 1);
      } else if (parts == shortest.steps().size()) {
        return;
      } else {
        parts = Math.min(2 * parts, shortest.steps().size());
      }
    }
  }

  private void leaveOutTheEnd() {
    List<Step> steps = shortest.steps();
    int last = violation.observations().size() - 1;
    long end = last < 0 ? Long.MAX_VALUE : violation.observations().get(last).at();
    accept(steps.stream().filter(step -> step.at() <= end).toList());
  }

  private boolean leaveOutOneOf(int parts) {
    List<Step> steps = shortest.steps();
    for (int i = 0; i < parts && runs < RUNS; i++) {
      List<Step> rest = new ArrayList<>(steps.subList(0, i * steps.size() / parts));
      rest.addAll(steps.subList((i + 1) * steps.size() / parts, steps.size()));
      if (accept(rest)) {
        return true;
      }
    }
    return false;
  }

  private boolean accept(List<Step> steps) {
    runs++;
    Script tried = shortest.of(steps);
    Violation found = find(setting, tried, promise);
    if (found == null) {
      return false;
    }
    shortest = tried;
    violation = found;
    return true;
  }

  private static @Nullable Violation find(Setting setting, Script script, Promise promise) {
    return Simulation.run(setting, script).violations().stream()
        .filter(found -> found.promise() == promise)
        .findFirst()
        .orElse(null);
  }
}
