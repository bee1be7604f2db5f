/** Stories around a lock: what goes wrong without care, and what care looks like. */
@NullMarked
package dev.holdfast.examples.stories;

import org.jspecify.annotations.NullMarked;
