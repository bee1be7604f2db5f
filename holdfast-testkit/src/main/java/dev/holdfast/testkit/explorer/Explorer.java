package dev.holdfast.testkit.explorer;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Runs a world in every order of events that has at most a given number of deviations from the
 * usual one. A run is repeated from its beginning for each order; those with fewer deviations come
 * first, so the first violation is one of the shortest. Not thread-safe.
 *
 * <p>It looks into the client for the names that are in use; on the module path {@code
 * dev.holdfast} and {@code dev.holdfast.engine} must be open to it.
 */
public final class Explorer {

  /** In which steps of a run a deviation may begin. */
  private static final int DEPTH = Integer.getInteger("holdfast.explorer.depth", 60);

  /** No run has more steps than this. */
  private static final int LONGEST = 400;

  /** A deviation: at this step of a run, this one of what is possible. */
  private record Deviation(int step, int choice) {}

  /** A run that was made: its deviations, and how many steps were possible at each point. */
  private record Made(List<Deviation> deviations, byte[] possible) {}

  private final World world;
  private final Predicate<Violation> known;
  private final Hands hands;

  // Mutable state
  private long runs;
  private long states;
  private long passedOver;
  private @Nullable Violation violation;

  private Explorer(World world, Predicate<Violation> known, Hands hands) {
    this.world = world;
    this.known = known;
    this.hands = hands;
  }

  /** Explores a world until the first violation, or to the end. */
  public static Report explore(World world) {
    return explore(world, violation -> false);
  }

  /**
   * As {@link #explore(World)}, but passes over violations that these tests know of. A run that was
   * passed over is not deviated from.
   */
  public static Report explore(World world, Predicate<Violation> known) {
    long start = System.nanoTime();
    Explorer explorer;
    try (Hands hands = new Hands()) {
      explorer = new Explorer(world, known, hands);
      explorer.explore();
    }
    long millis = (System.nanoTime() - start) / 1_000_000;
    return new Report(
        world.name(),
        explorer.runs,
        explorer.states,
        millis,
        explorer.passedOver,
        explorer.violation);
  }

  private void explore() {
    List<Made> made = new ArrayList<>();
    Made first = run(List.of());
    if (first != null) {
      made.add(first);
    }
    for (int level = 1; level <= world.deviations() && violation == null; level++) {
      List<Made> next = new ArrayList<>();
      boolean last = level == world.deviations();
      for (Made parent : made) {
        if (!deviate(parent, last ? null : next)) {
          return;
        }
      }
      made = next;
    }
  }

  /** Makes every run that has one deviation more than this one, behind its others. */
  private boolean deviate(Made parent, @Nullable List<Made> next) {
    List<Deviation> before = parent.deviations();
    int from = before.isEmpty() ? 0 : before.get(before.size() - 1).step() + 1;
    for (int step = from; step < parent.possible().length; step++) {
      for (int choice = 1; choice < parent.possible()[step]; choice++) {
        List<Deviation> deviations = new ArrayList<>(before);
        deviations.add(new Deviation(step, choice));
        Made made = run(deviations);
        if (violation != null) {
          return false;
        }
        if (next != null && made != null) {
          next.add(made);
        }
      }
    }
    return true;
  }

  /** Makes one run; null if it violates an invariant. */
  private @Nullable Made run(List<Deviation> deviations) {
    runs++;
    Run run = new Run(world, hands);
    byte[] possible = new byte[DEPTH];
    int steps = play(run, deviations, possible, null);
    int replayed = deviations.isEmpty() ? 0 : deviations.get(deviations.size() - 1).step();
    states += steps - replayed;
    if (run.violation == null) {
      return new Made(deviations, possible);
    }
    List<String> trace = new ArrayList<>();
    play(new Run(world, hands), deviations, new byte[DEPTH], trace);
    Violation found = new Violation(run.violation.invariant(), run.violation.what(), trace);
    if (known.test(found)) {
      passedOver++;
    } else {
      violation = found;
    }
    return null;
  }

  /** Plays a run to its end, or to the first violation; returns how many steps it had. */
  private static int play(
      Run run, List<Deviation> deviations, byte[] possible, @Nullable List<String> trace) {
    Steps steps = new Steps(run);
    int next = 0;
    for (int i = 0; i < LONGEST; i++) {
      List<Step> some = steps.possible();
      if (some.isEmpty()) {
        run.finish();
        return i;
      }
      int choice = 0;
      if (next < deviations.size() && deviations.get(next).step() == i) {
        choice = deviations.get(next++).choice();
      }
      if (i < possible.length) {
        possible[i] = (byte) Math.min(some.size(), Byte.MAX_VALUE);
      }
      if (choice >= some.size()) {
        throw new IllegalStateException(run.world.name() + " is not the same each time");
      }
      Step step = some.get(choice);
      if (trace != null) {
        trace.add((choice == 0 ? "  " : "! ") + step.label().get());
      }
      run.begin();
      step.event().run();
      run.look();
      if (trace != null) {
        run.missing().forEach(line -> trace.add("    " + line));
      }
      if (run.violation != null) {
        return i + 1;
      }
    }
    run.violated(Invariant.BOUNDED_WORK, "the run does not end");
    return LONGEST;
  }
}
