/** The faults: planned from a seed, then caused. */
@NullMarked
package dev.holdfast.torture.nemesis;

import org.jspecify.annotations.NullMarked;
