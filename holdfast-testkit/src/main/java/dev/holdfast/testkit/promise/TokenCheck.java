package dev.holdfast.testkit.promise;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The order of tokens, and the fence that rests on it. */
final class TokenCheck implements Check {

  /** The tokens of one lock. */
  private static final class Tokens {
    final Set<Long> all = new HashSet<>();
    @Nullable Observation highest;
    @Nullable Observation highestExclusive;
    @Nullable Observation entered;
  }

  // Mutable state
  private final Map<String, Tokens> locks = new HashMap<>();

  @Override
  public void look(Observation o, @Nullable Life life, Facts facts, Found found) {
    switch (o.what()) {
      case GRANTED -> {
        if (life != null) {
          granted(o, life, facts, found);
        }
      }
      case REENTERED -> {
        if (life != null && life.token != o.token()) {
          found.violation(
              Promise.SAME_TOKEN, "The outer lease has " + life.token + ".", life.since(), o);
        }
      }
      case ENTERED -> {
        passes(o, found);
        Tokens tokens = tokens(o);
        if (o.construct().isExclusive()) {
          tokens.entered = o;
        }
      }
      case WROTE -> passes(o, found);
      case STALE -> {
        Observation entered = tokens(o).entered;
        if (entered == null || entered.token() <= o.token()) {
          found.violation(
              Promise.FENCE_TAKES_THE_NEWEST, "No later holder has entered.", entered, o);
        }
      }
      default -> {}
    }
  }

  private Tokens tokens(Observation o) {
    return locks.computeIfAbsent(o.lock(), key -> new Tokens());
  }

  private void granted(Observation o, Life life, Facts facts, Found found) {
    Tokens tokens = tokens(o);
    if (!tokens.all.add(o.token())) {
      found.violation(Promise.TOKENS_DIFFER, "The token was granted before.", tokens.highest, o);
    }
    Observation before = life.shared ? tokens.highestExclusive : tokens.highest;
    boolean ordered = o.construct() != Construct.PERMIT && !o.isTooLate();
    if (ordered && before != null && o.token() <= before.token() && !isPassedOn(life, facts)) {
      boolean passedOn = before.client().equals(o.client());
      found.violation(
          passedOn ? Promise.HAND_OFF_RISES : Promise.TOKENS_RISE,
          "An earlier grant has " + before.token() + ".",
          before,
          o);
    }
    tokens.highest = higher(tokens.highest, o);
    if (!life.shared) {
      tokens.highestExclusive = higher(tokens.highestExclusive, o);
    }
  }

  /** A client that has not noticed a break may pass its claim on with an older token. */
  private static boolean isPassedOn(Life life, Facts facts) {
    return life.brokenAt != 0
        || facts.lock(life.asked.lock()).live.stream()
            .anyMatch(other -> other != life && other.broken && other.isOfSameClient(life));
  }

  private static Observation higher(@Nullable Observation highest, Observation o) {
    return highest != null && highest.token() > o.token() ? highest : o;
  }

  private void passes(Observation o, Found found) {
    Observation entered = tokens(o).entered;
    if (entered != null && o.token() < entered.token()) {
      found.violation(
          Promise.NO_STALE_WRITE, "A holder with a greater token has entered.", entered, o);
    }
  }
}
