package dev.holdfast.torture.nemesis;

import dev.holdfast.Traits;
import dev.holdfast.torture.store.Target;
import java.util.List;

/**
 * What a run was, beside its history.
 *
 * @param target the store
 * @param options how it was tortured
 * @param traits what the store says it can do
 * @param smallDisk whether its disk could be filled
 * @param faults in the order of time
 * @param problems what went wrong with the processes themselves
 * @param start of the faults, by {@link System#nanoTime}
 * @param end of the last worker
 */
public record Happened(
    Target target,
    RunOptions options,
    Traits traits,
    boolean smallDisk,
    List<CausedFault> faults,
    List<String> problems,
    long start,
    long end) {}
