package dev.holdfast.bench.workload;

import dev.holdfast.bench.Site;
import dev.holdfast.bench.Store;

/** Where a workload runs: on what server, and how much of everything. */
public record Ground(Store store, Site site, Scale scale) {}
