/** Elections, built on the engine's locks. Not exported. */
@NullMarked
package dev.holdfast.election;

import org.jspecify.annotations.NullMarked;
