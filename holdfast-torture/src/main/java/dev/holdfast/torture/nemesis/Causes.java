package dev.holdfast.torture.nemesis;

import java.util.concurrent.TimeUnit;

/** Causes the faults of one lane. Not thread-safe. */
interface Causes {

  /** Causes it, and undoes it when its time is over. */
  Outcome cause(PlannedFault fault) throws Exception;

  /** Waits until a moment, by {@link System#nanoTime}. */
  static void sleepUntil(long moment) throws InterruptedException {
    long left = moment - System.nanoTime();
    if (left > 0) {
      TimeUnit.NANOSECONDS.sleep(left);
    }
  }

  /** Lets it last. */
  static void last(PlannedFault fault, long since) throws InterruptedException {
    sleepUntil(since + fault.duration().toNanos());
  }

  /**
   * What came of it.
   *
   * @param victim to whom it was done
   * @param note more, for people
   * @param caused whether it happened at all
   */
  record Outcome(String victim, String note, boolean caused) {
    static Outcome done(String victim) {
      return new Outcome(victim, "", true);
    }

    static Outcome notRun(String why) {
      return new Outcome("", why, false);
    }
  }
}
