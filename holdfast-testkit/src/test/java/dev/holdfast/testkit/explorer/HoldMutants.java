package dev.holdfast.testkit.explorer;

import static dev.holdfast.testkit.explorer.Mutant.edit;

import dev.holdfast.Kind;
import dev.holdfast.LockOptions;
import dev.holdfast.testkit.explorer.World.Incident;
import java.time.Duration;
import java.util.List;

/** Faults that show only when threads re-enter, and when leases change or move. */
final class HoldMutants {

  private static final String TRANSITIONS = "state/Transitions.java";
  private static final String HOLDS = "state/HoldTransitions.java";
  private static final String HOLD = "state/Hold.java";
  private static final String TENURE = "state/Tenure.java";

  private static final Duration WORK = Duration.ofMillis(400);

  /** Passes the lock on although another client waits. */
  private static final LockOptions THROUGHPUT =
      LockOptions.defaults().ttl(World.TTL).handOff(Duration.ofMillis(100));

  private static final LockOptions LIMITED =
      LockOptions.defaults().ttl(World.TTL).maxHold(Duration.ofMillis(1_200));

  private static final World NESTED =
      World.of("nested", Kind.MUTEX, 1, Wish.thread(0, 1), Wish.thread(0, 1)).deviating(1);
  private static final World KEPT =
      World.of(
              "nested and kept",
              Kind.MUTEX,
              1,
              Wish.thread(0, 1),
              Wish.thread(0, 1).keeping(WORK),
              Wish.waiting(1))
          .deviating(1);
  private static final World MOVING =
      World.of("moving", Kind.MUTEX, 1, Wish.waiting(0).working(WORK), Wish.waiting(1))
          .with(LIMITED)
          .with(Incident.DETACH)
          .deviating(1);
  private static final World EXTENDED =
      World.of(
              "extended",
              Kind.MUTEX,
              1,
              Wish.waiting(0).working(WORK.multipliedBy(3)),
              Wish.waiting(1))
          .with(LIMITED)
          .with(Incident.EXTEND)
          .deviating(1);

  private HoldMutants() {}

  static List<Mutant> all() {
    return List.of(
        Mutant.of(
            "the token changes on re-entry",
            NESTED,
            Invariant.RE_ENTRY,
            edit(
                "EngineLease.java",
                "  // Mutable state\n",
                "  private final long token;\n\n  // Mutable state\n"),
            edit(
                "EngineLease.java",
                "    this.reading = reading;\n",
                "    this.reading = reading;\n    this.token = hold.nextToken++;\n"),
            edit("EngineLease.java", "    return hold.token;\n", "    return token;\n"),
            edit(
                HOLD,
                "    this.token = token;\n",
                "    this.token = token;\n    this.nextToken = token;\n"),
            edit(HOLD, "  // Mutable state\n", "  public long nextToken;\n")),
        Mutant.of(
            "the last close of a nested hold does not leave",
            NESTED,
            Invariant.NOTHING_IS_LEFT,
            edit(HOLD, "    if (left == 0) {\n", "    if (left == 0 && !enteredAgain) {\n")),
        Mutant.of(
            "the first close of a nested hold leaves",
            NESTED,
            Invariant.OPEN_UNTIL_ITS_CLOSE,
            edit(HOLD, "    if (left == 0) {\n", "    if (left >= 0) {\n")),
        Mutant.of(
            "a thread enters again after the loss",
            NESTED,
            Invariant.RE_ENTRY,
            edit(
                "Engine.java",
                "            && hold.remaining(now()) > 0\n            && hold.enterAgain",
                "            && hold.enterAgain")),
        Mutant.of(
            "a thread that has lost its hold asks for another",
            NESTED,
            Invariant.RE_ENTRY,
            edit(TRANSITIONS, "out.add(new Decide(r, hold.lostException(now)));", "return false;")),
        Mutant.of(
            "the minHold of a nested lease is ignored",
            KEPT,
            Invariant.MIN_HOLD,
            edit(
                TRANSITIONS,
                "HoldTransitions.keptUntil(hold, now.nanos + r.spec.minHoldNanos);",
                "")),
        Mutant.of(
            "a thread that enters again without asking forgets its minHold",
            KEPT,
            Invariant.MIN_HOLD,
            edit("Engine.java", "            && spec.minHoldNanos == 0\n", "")),
        Mutant.of(
            "attach asks for the whole ttl, beyond maxHold",
            MOVING,
            Invariant.MAX_HOLD,
            edit(
                "Resumption.java",
                "this.asked = client.shortened(claim, spec.maxHoldNanos);",
                "this.asked = claim;")),
        Mutant.of(
            "a lease that is detached leaves",
            MOVING,
            Invariant.LOSS_IS_TRUE,
            edit(
                HOLDS,
                "    Endings.drop(s, hold.tenure, out);\n    hold.tenure.holds.clear();",
                "    Endings.depart(s, hold.tenure, now, out);\n    hold.tenure.holds.clear();")),
        Mutant.of(
            "extend keeps the old maxHold",
            EXTENDED,
            Invariant.LOSS_IS_TRUE,
            edit(HOLD, "leaveAt = maxHold == null ? 0 :", "leaveAt = leaveAt != 0 ? leaveAt :")),
        Mutant.of(
            "extend keeps the old minHold",
            World.of("kept longer", Kind.MUTEX, 1, Wish.waiting(0), Wish.waiting(1))
                .with(Incident.EXTEND)
                .deviating(1),
            Invariant.MIN_HOLD,
            edit(HOLD, "    minHoldUntil = now.nanos + minHold.toNanos();\n", "")),
        Mutant.of(
            "a writer that became a reader hands its claim off to a writer",
            World.of(
                    "downgraded",
                    Kind.READ_WRITE,
                    1,
                    Wish.waiting(0).weighing(2),
                    Wish.waiting(0).weighing(2), // its claim brings a token for the next
                    Wish.waiting(0).weighing(2),
                    Wish.waiting(1))
                .with(THROUGHPUT)
                .with(Incident.DOWNGRADE)
                .deviating(1),
            Invariant.TOKENS_RISE,
            edit(
                TENURE,
                "    spec = spec.downgraded();\n    claim = claim.weighing(spec.weight)",
                "    claim = claim.weighing(spec.downgraded().weight)")));
  }
}
