/** What the stores and the modules around them have in common. */
@NullMarked
package dev.holdfast.spi.support;

import org.jspecify.annotations.NullMarked;
