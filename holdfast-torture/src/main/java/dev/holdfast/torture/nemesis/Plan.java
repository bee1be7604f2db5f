package dev.holdfast.torture.nemesis;

import dev.holdfast.torture.store.FaultKind;
import dev.holdfast.torture.store.FaultKind.Lane;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Which faults a run causes, and when: the same for the same seed, store, length and number of
 * workers.
 */
public final class Plan {

  /** In the end everything is well for that many ttls, so that all can come to rest. */
  private static final double CALM_END = 3;

  /**
   * The calm between faults is counted in these: in it locks are granted again, whatever the ttl.
   */
  private static final double CALM = 3000; // milliseconds

  private final Random random;
  private final double ttl; // milliseconds
  private final double end;
  private final List<PlannedFault> faults = new ArrayList<>();

  private Plan(long seed, Duration ttl, Duration length) {
    this.random = new Random(seed);
    this.ttl = ttl.toMillis();
    this.end = length.toMillis() - CALM_END * this.ttl;
  }

  /**
   * Makes a plan.
   *
   * @param kinds what can be done
   * @param ttl of the leases: faults last up to a few of them
   * @param length of the run
   */
  public static List<PlannedFault> of(
      long seed, Set<FaultKind> kinds, Duration ttl, Duration length, int workers) {
    Plan plan = new Plan(seed, ttl, length);
    for (int worker = 0; worker < workers; worker++) {
      plan.lane(kinds(kinds, Lane.WORKER), 0.7, 3.5, worker);
    }
    plan.lane(kinds(kinds, Lane.OPERATOR), 0.5, 3, -1);
    plan.lane(kinds(kinds, Lane.SERVER), 0.7, 4, -1);
    plan.faults.sort(Comparator.comparing(PlannedFault::at));
    return Stream.iterate(0, i -> i + 1)
        .limit(plan.faults.size())
        .map(i -> numbered(i + 1, plan.faults.get(i)))
        .toList();
  }

  private static List<FaultKind> kinds(Set<FaultKind> kinds, Lane lane) {
    return kinds.stream().filter(kind -> kind.lane() == lane).sorted().toList();
  }

  private static PlannedFault numbered(int number, PlannedFault fault) {
    return new PlannedFault(number, fault.at(), fault.duration(), fault.kind(), fault.choice());
  }

  /** Faults one after the other, with calm between that is at least and at most that long. */
  private void lane(List<FaultKind> kinds, double least, double most, int choice) {
    if (kinds.isEmpty()) {
      return;
    }
    double at = CALM * between(least, most);
    while (at < end) {
      FaultKind kind = kinds.get(random.nextInt(kinds.size()));
      if (kind == FaultKind.WORKER_KILL && random.nextBoolean()) {
        kind = FaultKind.WORKER_PAUSE; // a worker that has just begun holds nothing
      }
      double duration = Math.min(ttl * length(kind), end - at);
      int who = choice >= 0 ? choice : random.nextInt(Integer.MAX_VALUE);
      faults.add(
          new PlannedFault(
              0, Duration.ofMillis((long) at), Duration.ofMillis((long) duration), kind, who));
      at += duration + CALM * between(least, most);
    }
  }

  /** In ttls: some so short that nobody need notice, some longer than any lease. */
  private double length(FaultKind kind) {
    return switch (kind) {
      case BREAK, ALL_RESTART -> 0;
      case CLOCK_AHEAD, CLOCK_BACK -> 0.2;
      case WORKER_KILL -> between(0, 0.5);
      case ALL_PAUSE, DISK_FULL -> between(0.1, 1.2);
      default -> random.nextInt(4) == 0 ? between(1, 2.2) : between(0.05, 0.8);
    };
  }

  private double between(double least, double most) {
    return least + (most - least) * random.nextDouble();
  }
}
