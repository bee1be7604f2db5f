/** Runs worker processes on real servers under faults, and judges what they report. */
@NullMarked
package dev.holdfast.torture;

import org.jspecify.annotations.NullMarked;
