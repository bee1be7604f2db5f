/**
 * Whole systems in simulated time: the real client over a model of a store, several machines with
 * separate clocks and networks, faults, and a fenced resource. All of it runs on one thread, and is
 * drawn from a seed.
 */
@NullMarked
package dev.holdfast.testkit.simulation;

import org.jspecify.annotations.NullMarked;
