/** Redis: the floor, and the libraries that keep locks there. */
@NullMarked
package dev.holdfast.bench.redis;

import org.jspecify.annotations.NullMarked;
