package dev.holdfast.testkit.explorer;

import static dev.holdfast.testkit.explorer.Mutant.edit;

import dev.holdfast.Kind;
import dev.holdfast.LockOptions;
import dev.holdfast.testkit.explorer.World.Incident;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The faults that the explorer must find, each with the smallest world that shows it. */
public final class Mutants {

  private static final String TRANSITIONS = "state/Transitions.java";
  private static final String TRIES = "state/Tries.java";
  private static final String HOLDS = "state/HoldTransitions.java";
  private static final String ENDINGS = "state/Endings.java";
  private static final String TENURE = "state/Tenure.java";
  private static final String SPARES = "state/Spares.java";

  private static final Duration SHORT = Duration.ofMillis(200);
  private static final LockOptions OPTIONS = LockOptions.defaults().ttl(World.TTL);

  private static final World ONE = World.of("one caller", Kind.MUTEX, 1, Wish.waiting(0));
  private static final World TRY = World.of("one try", Kind.MUTEX, 1, Wish.trying(0));
  private static final World TWO =
      World.of("two clients", Kind.MUTEX, 1, Wish.waiting(0), Wish.within(1, SHORT));
  private static final World TWICE =
      World.of("one client twice", Kind.MUTEX, 1, Wish.waiting(0), Wish.waiting(0));

  private static final World THRICE =
      World.of(
          "one client thrice", Kind.MUTEX, 1, Wish.waiting(0), Wish.waiting(0), Wish.waiting(0));

  private Mutants() {}

  /** Called in the class loader of the mutant. */
  static String explore(String name) {
    Violation found = Explorer.explore(named(name).world()).violation();
    return found == null ? "" : found.invariant() + "\n" + found;
  }

  /** The one of this name. */
  public static Mutant named(String name) {
    return all().stream().filter(known -> known.name().equals(name)).findFirst().orElseThrow();
  }

  static List<Mutant> all() {
    return Stream.of(ofRequests(), HoldMutants.all(), KeptMutants.all())
        .flatMap(List::stream)
        .toList();
  }

  private static List<Mutant> ofRequests() {
    return List.of(
        Mutant.of(
            "a failed refresh is repeated at once",
            ONE.with(Incident.REFUSE_ALL),
            Invariant.BOUNDED_WORK,
            edit(
                TRANSITIONS,
                "t.refreshBy(now.nanos + Math.max(t.refreshNanos() / 8, MIN_RETRY_NANOS));\n"
                    + "      out.change(t);",
                "out.add(new Refresh(t));")),
        Mutant.of(
            "a limit does not wait for the answer under way",
            TWO,
            Invariant.UNKNOWN_IS_TRUE,
            edit(TRANSITIONS, "if (now.nanos - end >= 0) {", "if (r.since != end) {")),
        Mutant.of(
            "busy is reported before the leave is confirmed",
            TWO,
            Invariant.GIVING_UP_IS_LEAVING,
            edit(
                TRIES,
                "s.leaves(r, asked);",
                "s.remove(r);\n          Transitions.busy(r, now, out);")),
        Mutant.of(
            "a limit has no second reminder",
            TWO.with(Incident.CUT_OFF),
            Invariant.LIMITS_ARE_KEPT,
            edit(
                TRANSITIONS,
                "out.add(new Remind(r, late ? end : patience(s, r)));",
                "s.demand += late ? 0 : 0;")),
        Mutant.of(
            "a hint during a join is dropped",
            TWO.deviating(3),
            Invariant.GRANTS_ARE_HEARD,
            edit(
                TRANSITIONS,
                "if (t.hint.compareTo(hint) < 0) {",
                "if (t.phase != Phase.JOINING && t.hint.compareTo(hint) < 0) {")),
        Mutant.of(
            "a hint is not followed for holders",
            TWO.with(Incident.BREAK),
            Invariant.BREAKS_ARE_HEARD,
            edit(TRANSITIONS, "hint(s, t, Hint.STORE, now, out);", "continue;")),
        Mutant.of(
            "a newer exclusive grant does not end older ones",
            TWICE.with(OPTIONS.handOff(false)).with(Incident.BREAK),
            Invariant.EXCLUSION,
            edit(TRANSITIONS, "Endings.lose(s, other, LossReason.REPLACED, now, out);", "")),
        Mutant.of(
            "the floor is ignored for waiting claims",
            TWO.with(Incident.RAISE_FLOOR),
            Invariant.ABOVE_THE_FLOOR,
            edit(SPARES, "if (!used && token > floor) {", "if (!used) {"),
            edit(SPARES, "      if (token > floor) {", "      if (floor >= 0) {")),
        Mutant.of(
            "renewals are not shortened by maxHold",
            ONE.with(OPTIONS.maxHold(Duration.ofMillis(1_200))),
            Invariant.MAX_HOLD,
            edit(
                TENURE,
                "if (limited && client.ownTtl) {",
                "if (limited && client.ownTtl && room < 0) {")),
        Mutant.of(
            "leaves that wait for their retry are forgotten by close",
            TWO.withFaults(1).with(Incident.CLOSE),
            Invariant.CLOSE_LEAVES,
            edit(
                "Leaves.java",
                "List<Leaving> all = takeOwed();",
                "List<Leaving> all = new ArrayList<>();")),
        Mutant.of(
            "close does not leave what is granted",
            ONE.with(Incident.CLOSE),
            Invariant.CLOSE_LEAVES,
            edit(
                HOLDS,
                "Endings.depart(s, t, now, out);\n      t.endingToo = open;",
                "Endings.drop(s, t, out);\n      t.endingToo = open;")),
        Mutant.of(
            "the validity of a grant counts from its answer",
            ONE,
            Invariant.COVERED_BY_THE_STORE,
            edit(
                TRANSITIONS,
                "Tenure t = call.tenure;\n    if (t != s.pending || t.phase != Phase.JOINING) {",
                "Tenure t = call.tenure;\n"
                    + "    call = new Call(t, call.claim, call.waits, now, call.room);\n"
                    + "    if (t != s.pending || t.phase != Phase.JOINING) {")),
        Mutant.of(
            "the validity of a renewal counts from its answer",
            ONE.deviating(3),
            Invariant.COVERED_BY_THE_STORE,
            edit(
                TRANSITIONS,
                "!t.confirm(call)",
                "!t.confirm(new Call(t, call.claim, call.waits, now, call.room))")),
        Mutant.of(
            "a release does not leave",
            ONE,
            Invariant.NOTHING_IS_LEFT,
            edit(
                ENDINGS,
                "leave(s, t, linger, t.mayBeLate && linger.isZero(), out);",
                "drop(s, t, out);")),
        Mutant.of(
            "a join under way is withdrawn without a tombstone",
            ONE.with(Incident.CANCEL),
            Invariant.NOTHING_IS_LEFT,
            edit(ENDINGS, "t.phase == Phase.JOINING || t.mayBeLate", "t.mayBeLate")),
        Mutant.of(
            "a hand-off repeats the token",
            THRICE,
            Invariant.TOKENS_RISE,
            edit(SPARES, "return next++;", "return token;")),
        Mutant.of(
            "a hand-off leaves the next holder no time",
            THRICE,
            Invariant.HAND_OFF_LEAVES_TIME,
            edit(
                TENURE,
                "&& !inJeopardy(now) && remaining(now) * 2 >= spec.validNanos;",
                "&& remaining(now) > 0;")),
        Mutant.of(
            "a cancelled request that is granted is not given back",
            ONE.with(Incident.CANCEL),
            Invariant.NOTHING_IS_LEFT,
            edit("AsyncRequest.java", "shell.gaveUp(this, \"cancelled\");", ""),
            edit("AsyncRequest.java", "var unusedEnd = lease.giveBack();", "")),
        Mutant.of(
            "an answer that comes twice brings its spare tokens twice",
            World.of(
                    "one client, four callers",
                    Kind.MUTEX,
                    1,
                    Wish.waiting(0),
                    Wish.waiting(0),
                    Wish.waiting(0),
                    Wish.waiting(0))
                .withFaults(1),
            Invariant.TOKENS_RISE,
            edit(
                SPARES,
                "if (more.count() > 0 && more.last() > last) {\n"
                    + "      next = more.first() <= last + 1"
                    + " ? next : Math.max(more.first(), Math.max(next, token + 1));",
                "if (more.count() > 0) {\n      next = more.first();")),
        Mutant.of(
            "unknown is reported as busy",
            TRY.withFaults(1),
            Invariant.BUSY_IS_TRUE,
            edit(
                TRANSITIONS,
                "decide(r, new Unanswered(cause), \"unknown\", now, out);",
                "decide(r, Request.BUSY, \"busy\", now, out);")),
        new Mutant(
            "a try is answered busy without asking",
            TRY,
            Set.of(Invariant.BUSY_IS_TRUE, Invariant.KEPT_IS_NOT_BUSY),
            List.of(edit(TRIES, "boolean busy = s.isKnownBusy(now);", "boolean busy = true;"))),
        Mutant.of(
            "a waiter whose claim has died does not join again",
            World.of("two wait", Kind.MUTEX, 1, Wish.waiting(0), Wish.waiting(1)).deviating(3),
            Invariant.BOUNDED_WORK,
            edit(
                TRANSITIONS,
                "Endings.refused(s, t, out); // the head joins again",
                "t.refreshBy(now.nanos + Tenure.NEVER);")),
        Mutant.of(
            "a reader's claim is handed off to a writer",
            World.of(
                "reader and writer",
                Kind.READ_WRITE,
                1,
                Wish.waiting(0),
                Wish.waiting(0),
                Wish.waiting(0).weighing(2)),
            Invariant.EXCLUSION,
            edit("state/LockSpec.java", "            && weight == other.weight\n", "")));
  }
}
