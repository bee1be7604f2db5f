package dev.holdfast.cli;

import dev.holdfast.ClaimInfo;
import dev.holdfast.Holdfast;
import dev.holdfast.LockInfo;
import dev.holdfast.StoreException;

/** Says who holds a lock. */
final class Holders {

  private Holders() {}

  /** For example {@code held by report.sh (host web-3, pid 4121) for 31 s}. */
  static String describe(LockInfo lock) {
    if (!lock.isHeld()) {
      return lock.waiters().isEmpty() ? "free by now" : "about to go to the next in line";
    }
    ClaimInfo first = lock.holders().get(0);
    int others = lock.holders().size() - 1;
    return "held by "
        + first.owner().describe()
        + " for "
        + Durations.format(first.age())
        + (others == 0 ? "" : " and " + others + " more");
  }

  /** As {@link #describe}; whoever is busy telling must not fail because the store is silent. */
  static String ask(Holdfast locks, String name) {
    try {
      return describe(locks.inspect(name));
    } catch (StoreException e) {
      return "held by somebody the store did not name in time";
    }
  }
}
