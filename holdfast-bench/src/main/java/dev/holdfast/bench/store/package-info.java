/** A store that is measured, and a proxy that counts its requests. */
@NullMarked
package dev.holdfast.bench.store;

import org.jspecify.annotations.NullMarked;
