/** Holdfast in the shape of Curator's locks. */
@NullMarked
package dev.holdfast.foreign.curator;

import org.jspecify.annotations.NullMarked;
