package dev.holdfast.bench.workload;

import dev.holdfast.bench.store.RunningServer;
import dev.holdfast.bench.store.Store;

/** Where a workload runs, and how much of everything. */
public record TestBed(Store store, RunningServer site, Scale scale) {}
