/** Decides which promises held. */
@NullMarked
package dev.holdfast.torture.judge;

import org.jspecify.annotations.NullMarked;
