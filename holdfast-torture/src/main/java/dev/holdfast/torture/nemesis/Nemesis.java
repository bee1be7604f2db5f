package dev.holdfast.torture.nemesis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/** Causes the faults of a plan, one lane beside the other. */
final class Nemesis {

  /** Faults that are later than this would come without calm between them. */
  private static final Duration TOO_LATE = Duration.ofSeconds(2);

  private final long start;
  private final Consumer<CausedFault> progress;
  private final List<Thread> lanes = new ArrayList<>();
  private final Queue<CausedFault> caused = new ConcurrentLinkedQueue<>();

  /**
   * A nemesis that has done nothing yet.
   *
   * @param start when the plan begins, by {@link System#nanoTime}
   */
  Nemesis(long start, Consumer<CausedFault> progress) {
    this.start = start;
    this.progress = progress;
  }

  /** Begins with a lane. */
  void begin(String name, List<PlannedFault> faults, Causes causes) {
    Thread lane = new Thread(() -> faults.forEach(fault -> cause(fault, causes)), name);
    lane.setDaemon(true);
    lane.start();
    lanes.add(lane);
  }

  /** Waits until all is caused and healed; in the order of time. */
  List<CausedFault> await() throws InterruptedException {
    for (Thread lane : lanes) {
      lane.join();
    }
    return caused.stream().sorted(Comparator.comparingLong(CausedFault::from)).toList();
  }

  private void cause(PlannedFault fault, Causes causes) {
    long from = start + fault.at().toNanos();
    Causes.Outcome outcome;
    try {
      Causes.sleepUntil(from);
      long late = System.nanoTime() - from;
      from = System.nanoTime();
      outcome =
          late > fault.duration().plus(TOO_LATE).toNanos()
              ? Causes.Outcome.notRun("the fault before took too long")
              : causes.cause(fault);
    } catch (Exception e) {
      outcome = Causes.Outcome.notRun(String.valueOf(e.getMessage()));
    }
    CausedFault done =
        new CausedFault(
            fault.number(),
            fault.kind(),
            outcome.victim(),
            from,
            System.nanoTime(),
            outcome.note(),
            outcome.caused());
    caused.add(done);
    progress.accept(done);
  }
}
