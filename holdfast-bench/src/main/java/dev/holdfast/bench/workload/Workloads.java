package dev.holdfast.bench.workload;

import java.util.List;

/** All workloads. */
public final class Workloads {

  private static final List<Workload> ALL =
      List.of(
          ManyThreads.UNCONTENDED,
          ManyThreads.MANY_LOCKS,
          ManyThreads.ONE_LOCK,
          FourJvms.WORKLOAD,
          HandOff.WORKLOAD,
          IdleWaiters.WORKLOAD,
          HandOffRequests.WORKLOAD,
          HeldLeases.WORKLOAD,
          Reentry.WORKLOAD,
          ReadMostly.WORKLOAD,
          IdleNames.WORKLOAD,
          LocalWaiters.WORKLOAD);

  private Workloads() {}

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
