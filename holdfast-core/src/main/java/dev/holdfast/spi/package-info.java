/**
 * What a store implements: seven verbs on a leased queue, and the values they speak in.
 *
 * <p>A claim goes down, a grant comes up, nothing else crosses: a store never sees threads,
 * re-entry or listeners.
 */
@NullMarked
package dev.holdfast.spi;

import org.jspecify.annotations.NullMarked;
