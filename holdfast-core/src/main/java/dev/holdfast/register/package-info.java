/** Makes a lock store of a {@link dev.holdfast.spi.Register}. */
@NullMarked
package dev.holdfast.register;

import org.jspecify.annotations.NullMarked;
