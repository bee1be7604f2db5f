/** The stores that can be tortured, and what each promises under which fault. */
@NullMarked
package dev.holdfast.torture.store;

import org.jspecify.annotations.NullMarked;
