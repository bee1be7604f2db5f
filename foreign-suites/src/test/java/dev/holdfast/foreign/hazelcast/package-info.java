/** Holdfast in the shape of Hazelcast's fenced lock. */
@NullMarked
package dev.holdfast.foreign.hazelcast;

import org.jspecify.annotations.NullMarked;
