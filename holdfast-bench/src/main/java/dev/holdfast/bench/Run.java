package dev.holdfast.bench;

import dev.holdfast.bench.report.Results;
import dev.holdfast.bench.workload.Entry;
import dev.holdfast.bench.workload.Ground;
import dev.holdfast.bench.workload.Scale;
import dev.holdfast.bench.workload.Workload;
import java.util.List;
import java.util.Set;

/**
 * Measures on each store each workload.
 *
 * @param contenders who takes part; all if nobody is named
 */
record Run(Scale scale, Set<String> contenders, Progress progress, Results results) {

  /** Measures these workloads on one store, as far as they make sense there. */
  void on(Store store, Site site, List<Workload> workloads) {
    Ground ground = new Ground(store, site, scale);
    List<Chapter> chapters =
        workloads.stream()
            .filter(workload -> store.offers(workload.name()))
            .map(
                workload ->
                    new Chapter(ground, workload, entries(workload, ground), progress, results))
            .toList();
    chapters.forEach(chapter -> progress.expect(chapter.steps()));
    chapters.forEach(Chapter::measure);
  }

  private List<Entry> entries(Workload workload, Ground ground) {
    return workload.entries(ground).stream()
        .filter(entry -> contenders.isEmpty() || contenders.contains(entry.label()))
        .toList();
  }
}
