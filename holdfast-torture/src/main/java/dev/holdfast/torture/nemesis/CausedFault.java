package dev.holdfast.torture.nemesis;

import dev.holdfast.torture.store.FaultKind;

/**
 * A fault as it happened.
 *
 * @param number in the plan
 * @param kind what was done
 * @param victim to whom
 * @param from since when, by {@link System#nanoTime}
 * @param to until when
 * @param note what came of it; empty if it went as planned
 * @param caused whether it happened at all
 */
public record CausedFault(
    int number, FaultKind kind, String victim, long from, long to, String note, boolean caused) {}
