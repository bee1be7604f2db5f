/** Holdfast as a lock provider of ShedLock. */
@NullMarked
package dev.holdfast.foreign.shedlock;

import org.jspecify.annotations.NullMarked;
