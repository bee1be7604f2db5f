package dev.holdfast.testkit.explorer;

import org.jspecify.annotations.Nullable;

/**
 * What an exploration has found.
 *
 * @param world the world's name
 * @param runs how many runs were made
 * @param states how many states were visited: different sequences of events
 * @param millis how long it took
 * @param passedOver how many runs violated what is known to be violated
 * @param violation the first violation, with the fewest deviations; null if there was none
 */
public record Report(
    String world,
    long runs,
    long states,
    long millis,
    long passedOver,
    @Nullable Violation violation) {

  /** One line, and the violation if there is one. */
  @Override
  public String toString() {
    String line = "%s: %,d states in %,d runs, %,d ms".formatted(world, states, runs, millis);
    if (passedOver > 0) {
      line += "; %,d known violations passed over".formatted(passedOver);
    }
    return violation == null ? line : line + "\n" + violation;
  }
}
