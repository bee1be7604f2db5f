/** Fences that need no store: in memory, and in files. */
@NullMarked
package dev.holdfast.fence;

import org.jspecify.annotations.NullMarked;
