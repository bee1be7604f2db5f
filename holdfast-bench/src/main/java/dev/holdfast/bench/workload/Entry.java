package dev.holdfast.bench.workload;

import java.util.concurrent.Callable;

/**
 * Who is measured in a workload.
 *
 * @param label what the report calls it
 * @param opening makes it ready
 */
public record Entry(String label, Callable<Trial> opening) {}
