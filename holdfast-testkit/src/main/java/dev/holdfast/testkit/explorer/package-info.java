/**
 * Runs small worlds on the real engine and the memory store in every order of events within bounds:
 * requests and answers early, late, lost, doubled and refused; expiry, breaks, limits, cancels,
 * re-entry, leases that change or move, and the end of a client. {@link
 * dev.holdfast.testkit.explorer.Explorer} explores, {@link dev.holdfast.testkit.explorer.Worlds}
 * has the worlds, and {@link dev.holdfast.testkit.explorer.Invariant} lists what must be true in
 * every state.
 */
@NullMarked
package dev.holdfast.testkit.explorer;

import org.jspecify.annotations.NullMarked;
