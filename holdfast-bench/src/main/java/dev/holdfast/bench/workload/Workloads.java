package dev.holdfast.bench.workload;

import java.util.List;
import java.util.Set;

/** All workloads. */
public final class Workloads {

  private static final List<Workload> ALL =
      List.of(
          ManyThreads.UNCONTENDED,
          Repeat.WORKLOAD,
          ManyThreads.MANY_LOCKS,
          ManyThreads.ONE_LOCK,
          FourJvms.WORKLOAD,
          Fairness.WORKLOAD,
          Fairness.SHORT_HOLDS,
          HandOff.WORKLOAD,
          IdleWaiters.WORKLOAD,
          HandOffRequests.WORKLOAD,
          HeldLeases.WORKLOAD,
          Reentry.WORKLOAD,
          ReadMostly.WORKLOAD,
          IdleNames.WORKLOAD,
          LocalWaiters.WORKLOAD);

  /** What a brief run leaves out: it compares Holdfast with no peer, and takes long. */
  private static final Set<Workload> NOT_IN_BRIEF =
      Set.of(
          IdleWaiters.WORKLOAD,
          Reentry.WORKLOAD,
          ReadMostly.WORKLOAD,
          IdleNames.WORKLOAD,
          LocalWaiters.WORKLOAD);

  private Workloads() {}

  /** Returns whether a brief run measures it. */
  public static boolean isInBrief(Workload workload) {
    return !NOT_IN_BRIEF.contains(workload);
  }

  /** In the order of the report. */
  public static List<Workload> all() {
    return ALL;
  }

  /** The workload of this name. */
  public static Workload get(String name) {
    return ALL.stream()
        .filter(workload -> workload.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no workload '"
                        + name
                        + "'; there are "
                        + String.join(", ", ALL.stream().map(Workload::name).toList())));
  }
}
