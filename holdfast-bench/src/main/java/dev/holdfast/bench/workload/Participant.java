package dev.holdfast.bench.workload;

import java.util.concurrent.Callable;

/**
 * What is measured in a workload: a contender, or one variant of it.
 *
 * @param label what the report calls it
 * @param opening prepares it for measurement
 */
public record Participant(String label, Callable<Trial> opening) {}
