package dev.holdfast.testkit.explorer;

import static dev.holdfast.testkit.explorer.Mutant.edit;

import dev.holdfast.Kind;
import dev.holdfast.LockOptions;
import dev.holdfast.testkit.explorer.World.Incident;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Faults that show only when a client keeps a claim that nobody holds. */
final class KeptMutants {

  private static final String TRANSITIONS = "state/Transitions.java";
  private static final String HOLDS = "state/HoldTransitions.java";
  private static final String ENDINGS = "state/Endings.java";
  private static final String KEPT = "state/KeptClaims.java";
  private static final String SLICE = "state/Slice.java";
  private static final String TENURE = "state/Tenure.java";
  private static final String TRIES = "state/Tries.java";

  private static final LockOptions LONG =
      LockOptions.defaults().ttl(World.TTL).keepIdle(World.TTL.multipliedBy(5));

  private static final World COMEBACK =
      World.of("a comeback", Kind.MUTEX, 1, Wish.waiting(0)).keeping().deviating(1);
  private static final World TRY =
      World.of("a try meets a kept claim", Kind.MUTEX, 1, Wish.trying(1)).keeping().deviating(1);
  private static final World WAITER =
      World.of(
              "a comeback and a waiter",
              Kind.MUTEX,
              1,
              Wish.waiting(0).working(Duration.ofMillis(50)),
              Wish.waiting(1))
          .keeping()
          .deviating(1);

  private KeptMutants() {}

  static List<Mutant> all() {
    return List.of(
        new Mutant(
            "a kept claim is used past its validity",
            COMEBACK.with(LONG).with(Incident.CUT_OFF).deviating(2),
            Set.of(Invariant.LOSS_IS_FINAL, Invariant.HAND_OFF_LEAVES_TIME),
            List.of(
                edit(KEPT, "Math.min(t.spec.keepNanos, t.untilRefresh(now))", "t.spec.keepNanos"),
                edit(KEPT, "        && t.untilRefresh(now) > 0\n", ""),
                edit(
                    TENURE,
                    "return minHoldLeft(now) <= 0 && !inJeopardy(now)"
                        + " && remaining(now) * 2 >= spec.validNanos;",
                    "return minHoldLeft(now) <= 0;"),
                edit(
                    ENDINGS,
                    "if (t.isIdle() && t.remaining(now) <= 0) {",
                    "if (t.isIdle() && !t.isKept() && t.remaining(now) <= 0) {"),
                edit(
                    ENDINGS,
                    "if (t.phase == Phase.GRANTED && !t.outstayed && t.remaining(now) <= 0) {",
                    "if (t.phase == Phase.GRANTED && !t.outstayed && !t.isKept()"
                        + " && t.remaining(now) <= 0) {"))),
        Mutant.of(
            "a hint does not reach a kept claim",
            TRY,
            Invariant.WANTED_IS_GIVEN_BACK,
            edit(
                TRANSITIONS,
                "t.slice.wanted = true;\n        KeptClaims.giveBack(s, t, now, out);",
                "t.slice.wanted |= false;")),
        Mutant.of(
            "what a renewal says of others that wait is forgotten",
            WAITER,
            Invariant.WANTED_IS_GIVEN_BACK,
            edit(
                TENURE,
                "if (grant.wanted()) {\n      slice.wanted = true;",
                "if (grant.wanted() && slice.asking) {\n      slice.wanted = true;")),
        Mutant.of(
            "a claim is kept although it is wanted",
            WAITER,
            Invariant.WANTED_IS_GIVEN_BACK,
            edit(SLICE, "return !wanted && (hot || isBusy())", "return (hot || isBusy())"),
            edit(KEPT, "        && t.claim.keepable()\n", "")),
        Mutant.of(
            "a try is busy behind an idle claim whose owner runs and hears",
            TRY,
            Invariant.KEPT_IS_NOT_BUSY,
            edit(
                TRIES,
                "boolean awaitsOwner = asked != null && awaitsOwner(asked, now);",
                "boolean awaitsOwner = false;")),
        Mutant.of(
            "a kept claim stays when its client closes",
            COMEBACK.with(Incident.CLOSE),
            Invariant.CLOSE_LEAVES,
            edit(KEPT, "if (s.closed || !mayBeKept(t, now)) {", "if (!mayBeKept(t, now)) {"),
            edit(
                HOLDS,
                "if (t.phase == Phase.GRANTED) {\n        endedWithClient(",
                "if (t.phase == Phase.GRANTED && !t.isKept()) {\n        endedWithClient(")),
        Mutant.of(
            "a kept claim stays for longer than the options say",
            COMEBACK,
            Invariant.NOTHING_IS_LEFT,
            edit(SLICE, "keptUntil = now.nanos + nanos;", "keptUntil = now.nanos + 10 * nanos;")));
  }
}
