package dev.holdfast.bench.workload;

import dev.holdfast.bench.Site;
import dev.holdfast.bench.Store;
import dev.holdfast.bench.contender.Contender;
import java.util.List;
import java.util.function.Predicate;

/** Where a workload runs: on what server, and how much of everything. */
public record Ground(Store store, Site site, Scale scale) {

  /** An entry for each contender that is admitted. */
  List<Entry> entries(Predicate<Contender> admitted, Opening opening) {
    return store.contenders().stream()
        .filter(admitted)
        .map(contender -> new Entry(contender.label(), () -> opening.open(contender)))
        .toList();
  }

  /** Makes a contender ready. */
  interface Opening {
    Trial open(Contender contender) throws Exception;
  }
}
