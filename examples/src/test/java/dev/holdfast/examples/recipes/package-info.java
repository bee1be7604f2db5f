/**
 * Locks as they are written down in many places, on the real servers, and how each of them fails.
 * docs/RECIPES.md walks through them. Not for use: that is the point.
 */
@NullMarked
package dev.holdfast.examples.recipes;

import org.jspecify.annotations.NullMarked;
