/**
 * The lock API: one client, {@link dev.holdfast.Holdfast}, over whichever store arbitrates.
 *
 * <p>Start with {@link dev.holdfast.Holdfast#connect(String)}.
 */
@NullMarked
package dev.holdfast;

import org.jspecify.annotations.NullMarked;
