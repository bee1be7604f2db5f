/** Memcached: Holdfast alone; none of the peers keeps locks there. */
@NullMarked
package dev.holdfast.bench.memcached;

import org.jspecify.annotations.NullMarked;
