/** Locks in Memcached: a register by compare-and-swap, over its meta commands. */
@NullMarked
package dev.holdfast.memcached;

import org.jspecify.annotations.NullMarked;
