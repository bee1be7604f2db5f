/** Locks in Memcached: a register with compare-and-swap, by Memcached's meta commands. */
@NullMarked
package dev.holdfast.memcached;

import org.jspecify.annotations.NullMarked;
