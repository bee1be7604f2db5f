/** The stores there are. */
@NullMarked
package dev.holdfast.bench.catalogue;

import org.jspecify.annotations.NullMarked;
