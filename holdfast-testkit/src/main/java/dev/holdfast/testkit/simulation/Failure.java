package dev.holdfast.testkit.simulation;

import dev.holdfast.testkit.promise.Violation;
import java.util.List;

/**
 * A simulation in which a promise was broken.
 *
 * @param seed of the simulation
 * @param steps how many steps its schedule had
 * @param violation how the promise was broken, by the shortest schedule that was found
 * @param schedule that schedule, one line for each step
 */
public record Failure(long seed, int steps, Violation violation, List<String> schedule) {

  /** Keeps the schedule. */
  public Failure {
    schedule = List.copyOf(schedule);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append("seed ").append(seed).append(" breaks ").append(violation);
    text.append(
        "\nThe shortest schedule that does, %d of %d steps:".formatted(schedule.size(), steps));
    schedule.forEach(step -> text.append("\n  ").append(step));
    return text.toString();
  }
}
