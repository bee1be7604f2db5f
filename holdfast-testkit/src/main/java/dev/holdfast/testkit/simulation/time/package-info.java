/** The time of a simulation, and how its machines see it. Not exported. */
@NullMarked
package dev.holdfast.testkit.simulation.time;

import org.jspecify.annotations.NullMarked;
