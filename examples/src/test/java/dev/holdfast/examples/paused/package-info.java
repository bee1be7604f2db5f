/** A process that is paused past its ttl, and writes on, through every guard there is. */
@NullMarked
package dev.holdfast.examples.paused;

import org.jspecify.annotations.NullMarked;
