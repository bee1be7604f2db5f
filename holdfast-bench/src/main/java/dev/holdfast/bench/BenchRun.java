package dev.holdfast.bench;

import dev.holdfast.bench.report.Results;
import dev.holdfast.bench.store.RunningServer;
import dev.holdfast.bench.store.Store;
import dev.holdfast.bench.workload.Participant;
import dev.holdfast.bench.workload.Scale;
import dev.holdfast.bench.workload.TestBed;
import dev.holdfast.bench.workload.Workload;
import java.util.List;
import java.util.Set;

/**
 * Measures on each store each workload.
 *
 * @param contenders the contenders that are measured; empty for all
 * @param warm the kinds of servers whose contenders have run already; grows
 */
record BenchRun(
    Scale scale, Set<String> contenders, Progress progress, Results results, Set<String> warm) {

  /** Measures these workloads on one store, as far as they make sense there. */
  void on(Store store, RunningServer site, List<Workload> workloads) {
    TestBed ground = new TestBed(store, site, scale);
    List<WorkloadRun> chapters =
        workloads.stream()
            .filter(workload -> store.offers(workload.name()))
            .map(
                workload ->
                    new WorkloadRun(ground, workload, entries(workload, ground), progress, results))
            .toList();
    chapters.forEach(chapter -> progress.expect(chapter.steps()));
    for (WorkloadRun chapter : chapters) {
      boolean first = warm.add(store.kind());
      chapter.measure(first ? scale.firstWarmUp() : scale.warmUp());
    }
  }

  private List<Participant> entries(Workload workload, TestBed ground) {
    return workload.entries(ground).stream()
        .filter(entry -> contenders.isEmpty() || contenders.contains(entry.label()))
        .toList();
  }
}
