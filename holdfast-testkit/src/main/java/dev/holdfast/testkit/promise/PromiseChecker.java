package dev.holdfast.testkit.promise;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Compares a history with every {@link Promise}, and says which was broken, by what.
 *
 * <p>It excuses what the promises excuse: a holder whose lock was broken until it must have
 * noticed, a client that was paused, an answer that came late while there was trouble. It does not
 * know the clocks of the clients; {@link Terms} says at which rates they may run.
 */
public final class PromiseChecker {

  private final List<Check> checks =
      List.of(
          new ExclusionCheck(),
          new TokenCheck(),
          new LossCheck(),
          new WaitCheck(),
          new OrderCheck());

  // Mutable state
  private final List<Violation> violations = new ArrayList<>();

  private PromiseChecker() {}

  /**
   * Everything that is wrong with a history, in the order in which it shows.
   *
   * @param observations in the order of time
   */
  public static List<Violation> violations(List<Observation> observations, Terms terms) {
    PromiseChecker checker = new PromiseChecker();
    Facts facts = new Facts(terms);
    long last = 0;
    for (Observation o : observations) {
      Life life = facts.life(o);
      for (Check check : checker.checks) {
        check.look(o, life, facts, checker::violation);
      }
      facts.follow(o);
      last = o.at();
    }
    for (Check check : checker.checks) {
      check.end(last, facts, checker::violation);
    }
    return checker.violations;
  }

  /** Fails with the first violation, headed by the title. */
  public static void check(String title, List<Observation> observations, Terms terms) {
    List<Violation> found = violations(observations, terms);
    if (!found.isEmpty()) {
      throw new AssertionError(title + ": " + found.get(0));
    }
  }

  private void violation(Promise promise, String what, @Nullable Observation... shown) {
    violations.add(
        new Violation(promise, what, Stream.of(shown).filter(Objects::nonNull).toList()));
  }
}
