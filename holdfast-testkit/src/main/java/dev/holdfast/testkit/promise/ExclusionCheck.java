package dev.holdfast.testkit.promise;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Exclusion by validity, and what a holder learns before others are granted the lock. */
final class ExclusionCheck implements Check {

  @Override
  public void look(Observation o, @Nullable Life life, Facts facts, Found found) {
    if (life == null) {
      return;
    }
    switch (o.what()) {
      case GRANTED, ATTACHED -> {
        if (!o.isTooLate()) {
          meets(o, life, facts, found);
        } else if (o.at() == life.asked.at()) {
          found.violation(Promise.KEPT_IS_VALID, "It was over before.", life.asked, o);
        }
      }
      case VALID -> {
        if (life.over != null || life.lost != null) {
          found.violation(Promise.LOSS_IS_FINAL, "It is valid again.", life.over, life.lost, o);
        }
        if (life.isHolding() && o.at() >= life.until) {
          meets(o, life, facts, found); // it was valid all the time since its last word
        }
        overstays(o, life, found);
      }
      default -> {}
    }
  }

  private static void meets(Observation o, Life life, Facts facts, Found found) {
    long taken = life.weight;
    List<Observation> shown = new ArrayList<>();
    for (Life other : facts.lock(o.lock()).live) {
      if (other == life || !other.isHolding()) {
        continue;
      }
      if (isReplaced(other, life, o)) {
        other.until = o.at(); // if it calls itself valid once more, that is a violation
      } else if (other.isValid(o.at())) {
        overstays(o, other, found);
        if (!isExcused(life, other, o, facts)) {
          taken += other.weight;
          shown.add(other.since());
          if (other.surelyBroken) {
            found.violation(Promise.BREAK_IS_NOTICED, "It outlives the break.", other.since(), o);
          }
        }
      } else if (life.excludes(other) && o.what() != What.VALID) {
        tellsLate(o, life, other, facts, found);
      }
    }
    if (taken > life.request.capacity()) {
      shown.add(o);
      found.violation(
          promise(o.construct()),
          "Valid leases take %d of %d.".formatted(taken, life.request.capacity()),
          shown.toArray(new Observation[0]));
    }
  }

  /**
   * A later grant of the same client ends the claim that was broken. Its last word was about a
   * later moment, and its thread need not have spoken since.
   */
  private static boolean isReplaced(Life other, Life life, Observation o) {
    return o.what() == What.GRANTED
        && other.brokenAt != 0
        && other.isOfSameClient(life)
        && !other.shared
        && !life.shared;
  }

  private static boolean isExcused(Life life, Life other, Observation o, Facts facts) {
    boolean within = life.isOfSameClient(other) && !life.shared && !other.shared;
    return !within
        && (facts.isExcused(other, o.at()) || facts.isExcused(life, o.at()) || isPassedOn(life, o));
  }

  /** A broken claim may be passed on until its client notices: that grant comes with the break. */
  private static boolean isPassedOn(Life life, Observation o) {
    return life.brokenAt != 0 && life.brokenAt >= life.asked.at() && o.what() != What.VALID;
  }

  /** What the holder's own timer had to tell it before the store granted the lock again. */
  private static void tellsLate(Observation o, Life life, Life other, Facts facts, Found found) {
    long renewal = facts.terms.most(facts.terms.renewEvery().toNanos());
    boolean excused =
        other.brokenAt != 0
            || life.brokenAt != 0
            || facts.isPaused(other.client())
            || (other.disturbed && !facts.isCalm(other.client(), o.at() - renewal));
    if (!excused) {
      found.violation(Promise.LOSS_FIRST, "Its action for the loss has not run.", other.since(), o);
    }
  }

  private static void overstays(Observation o, Life life, Found found) {
    if (o.at() > life.heldUntil) {
      found.violation(Promise.MAX_HOLD, "It is valid after its maxHold.", life.since(), o);
    }
  }

  private static Promise promise(Construct construct) {
    return switch (construct) {
      case READ, WRITE -> Promise.WRITERS_ARE_ALONE;
      case PERMIT -> Promise.PERMITS;
      case LEADER -> Promise.ONE_LEADER;
      case MUTEX, SEVERAL, NONE -> Promise.EXCLUSION;
    };
  }
}
