/** A lock store on a {@link dev.holdfast.spi.Register}. */
@NullMarked
package dev.holdfast.register;

import org.jspecify.annotations.NullMarked;
