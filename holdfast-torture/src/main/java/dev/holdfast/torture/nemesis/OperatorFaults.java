package dev.holdfast.torture.nemesis;

import dev.holdfast.ClaimInfo;
import dev.holdfast.Holdfast;
import dev.holdfast.StoreException;
import dev.holdfast.testkit.promise.Construct;
import dev.holdfast.testkit.promise.Observation;
import dev.holdfast.testkit.promise.What;
import dev.holdfast.torture.history.HistoryFile;
import dev.holdfast.torture.worker.LockNames;
import java.util.List;
import java.util.OptionalLong;

/** An operator who breaks locks: half of the time whatever is there, half of the time one claim. */
final class OperatorFaults implements Causes {

  private static final String NAME = "operator";
  private static final OptionalLong ANY = OptionalLong.empty();

  private final Holdfast locks;
  private final HistoryFile history;

  OperatorFaults(Holdfast locks, HistoryFile history) {
    this.locks = locks;
    this.history = history;
  }

  /** The first lock from the planned one on that somebody holds. */
  @Override
  public Outcome cause(PlannedFault fault) {
    List<String> names = LockNames.ALL;
    boolean byToken = fault.choice() / names.size() % 2 == 0;
    for (int i = 0; i < names.size(); i++) {
      String name = names.get((fault.choice() % names.size() + i) % names.size());
      List<ClaimInfo> holders;
      try {
        holders = locks.inspect(name).holders();
      } catch (StoreException noAnswer) {
        return Outcome.notRun("no answer");
      }
      if (!holders.isEmpty()) {
        Outcome outcome = broken(name, byToken ? OptionalLong.of(holders.get(0).token()) : ANY);
        if (outcome.caused()) {
          return outcome;
        }
      }
    }
    return Outcome.notRun("nobody held a lock");
  }

  private Outcome broken(String name, OptionalLong token) {
    long before = System.nanoTime();
    try {
      boolean was =
          token.isPresent() ? locks.breakLock(name, token.getAsLong()) : locks.breakLock(name);
      if (!was) {
        return Outcome.notRun("it was released meanwhile");
      }
    } catch (StoreException unknown) {
      record(before, name); // it may have been broken
      return new Outcome(name, "no answer", true);
    }
    record(before, name);
    return Outcome.done(name);
  }

  private void record(long at, String name) {
    history.append(
        at, NAME, What.BROKE, Construct.NONE, name, 0, 0, Observation.UNTIL_TOLD, null, "");
  }
}
