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

/** An operator who breaks locks: half of the time whatever is there, half of the time one claim. */
final class OperatorFaults implements Causes {

  private static final String NAME = "operator";

  private final Holdfast locks;
  private final HistoryFile history;

  OperatorFaults(Holdfast locks, HistoryFile history) {
    this.locks = locks;
    this.history = history;
  }

  @Override
  public Outcome cause(PlannedFault fault) {
    List<String> names = LockNames.ALL;
    String name = names.get(fault.choice() % names.size());
    boolean byToken = fault.choice() / names.size() % 2 == 0;
    long before = System.nanoTime();
    try {
      if (!(byToken ? broken(name) : locks.breakLock(name))) {
        return new Outcome(name, "nobody held it", false);
      }
    } catch (StoreException unknown) {
      record(before, name); // it may have been broken
      return new Outcome(name, "no answer", true);
    }
    record(before, name);
    return Outcome.done(name);
  }

  private boolean broken(String name) {
    List<ClaimInfo> holders = locks.inspect(name).holders();
    return !holders.isEmpty() && locks.breakLock(name, holders.get(0).token());
  }

  private void record(long at, String name) {
    history.append(
        at, NAME, What.BROKE, Construct.NONE, name, 0, 0, Observation.UNTIL_TOLD, null, "");
  }
}
