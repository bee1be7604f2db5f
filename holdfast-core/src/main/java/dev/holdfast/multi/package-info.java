/** Several locks as one, built on the engine's locks. Not exported. */
@NullMarked
package dev.holdfast.multi;

import org.jspecify.annotations.NullMarked;
