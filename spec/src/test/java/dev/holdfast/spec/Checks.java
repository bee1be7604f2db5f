package dev.holdfast.spec;

import java.util.ArrayList;
import java.util.List;

/** All runs: what holds, and what must be refuted. */
final class Checks {

  /** Larger bounds, which take hours: {@code ./test --all}. */
  private static final boolean ALL = Boolean.getBoolean("holdfast.spec.all");

  private Checks() {}

  static List<Check> properties() {
    List<Check> checks = new ArrayList<>();
    checks.add(Check.holds("Redlock", "Redlock"));
    checks.add(Check.holds("Redlock", "RedlockClocks"));
    checks.add(Check.holds("Holdfast", "Mutex"));
    checks.add(Check.holds("Holdfast", "Late"));
    checks.add(Check.holds("Holdfast", "Revisions"));
    checks.add(Check.holds("Holdfast", "Readers"));
    checks.add(Check.holds("Kept", "Kept"));
    checks.add(Check.holds("Fence", "Fence"));
    checks.add(Check.holds("Live", "Live"));
    checks.add(Check.holds("Live", "LiveLoss"));
    if (ALL) {
      checks.add(Check.holds("Holdfast", "Mutex").with("Ttl", "3").with("Validity", "2"));
      checks.add(Check.holds("Holdfast", "Late").with("GivesUp", "{a, b}"));
      checks.add(Check.holds("Holdfast", "Revisions").with("Breakers", "TRUE"));
      checks.add(Check.holds("Holdfast", "Readers").with("Crashes", "{w}"));
      checks.add(Check.holds("Fence", "Fence").with("Breakers", "TRUE"));
      checks.add(Check.holds("Redlock", "Redlock").with("MaxRestarts", "2"));
      checks.add(Check.holds("Redlock", "RedlockClocks").with("MaxRestarts", "1"));
    }
    return checks;
  }

  static List<Check> mutants() {
    return List.of(
        Check.mutant("validity-from-answer", "Exclusion", "Holdfast", "Mutex"),
        Check.mutant("no-margin", "Exclusion", "Holdfast", "Mutex"),
        Check.mutant("late-answer-counts", "LossIsFinal", "Holdfast", "Mutex"),
        Check.mutant("hand-off-unreserved", "TokenOrder", "Holdfast", "Mutex"),
        Check.mutant("break-forgets-token", "TokenOrder", "Holdfast", "Mutex"),
        Check.mutant("refresh-revives", "Admission", "Holdfast", "Mutex"),
        Check.mutant("overtaking", "Admission", "Holdfast", "Mutex"),
        Check.mutant("release-of-any", "Ownership", "Holdfast", "Mutex"),
        Check.mutant("no-tombstone", "NoGhost", "Holdfast", "Mutex"),
        Check.mutant("gone-waiter-forgotten", "NoGhost", "Holdfast", "Late"),
        Check.mutant("repeated-join-keeps-ttl", "Truth", "Holdfast", "Late")
            .with("Drift", "1")
            .with("Slow", "{a, b}"),
        Check.mutant("grant-by-time", "Exclusion", "Holdfast", "Late").with("SetsBack", "TRUE"),
        Check.mutant("modify-index", "TokenOrder", "Holdfast", "Revisions"),
        Check.mutant("waiter-leaves-in-silence", "Promoted", "Holdfast", "Readers"),
        Check.mutant("kept-past-validity", "Exclusion", "Kept", "Kept"),
        Check.mutant("kept-though-wanted", "IdleIsMarked", "Kept", "Kept"),
        Check.mutant("idle-renewed", "BusyIsTrue", "Kept", "Kept"),
        Check.mutant("kept-while-renewed", "BusyIsTrue", "Kept", "Kept"),
        Check.mutant("try-is-busy", "BusyIsTrue", "Kept", "Kept"),
        Check.mutant("no-fence", "NoStaleWrite", "Fence", "Fence"),
        Check.mutant("fence-checks-writes-only", "NoStaleWrite", "Fence", "Fence"),
        Check.mutant("no-expiry", "Cleared", "Live", "Live").with("Repeats", "{}"),
        Check.mutant("leave-sent-once", "Told", "Live", "LiveLoss").with("Repeats", "{}"),
        Check.mutant("no-write-back", "TokenOrder", "Redlock", "Redlock"),
        Check.mutant("votes-when-empty", "Exclusion", "Redlock", "Redlock"),
        Check.mutant("does-not-rest", "Exclusion", "Redlock", "Redlock"),
        Check.mutant("reads-before-the-rest", "TokensDiffer", "Redlock", "Redlock"),
        Check.mutant("confirms-to-anybody", "TokensDiffer", "Redlock", "RedlockClocks"));
  }
}
