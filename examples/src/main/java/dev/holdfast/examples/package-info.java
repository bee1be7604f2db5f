/** Small programs around a lock, as the documentation shows them. */
@NullMarked
package dev.holdfast.examples;

import org.jspecify.annotations.NullMarked;
