package dev.holdfast.torture.nemesis;

import dev.holdfast.torture.store.FaultKind;
import java.time.Duration;

/**
 * A fault before it is caused.
 *
 * @param number in the order of the plan, from 1
 * @param at when, since the run began
 * @param duration how long it lasts
 * @param kind what is done
 * @param choice to whom, of those who are there: their number or more
 */
public record PlannedFault(
    int number, Duration at, Duration duration, FaultKind kind, int choice) {}
