/** Redis: the floor, and those who keep locks there. */
@NullMarked
package dev.holdfast.bench.redis;

import org.jspecify.annotations.NullMarked;
