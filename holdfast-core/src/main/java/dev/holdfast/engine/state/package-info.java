/**
 * The state machine of a lock within a client: data, and pure transitions from (state, event, now)
 * to effects. Nothing here calls a store, an executor or user code.
 */
@NullMarked
package dev.holdfast.engine.state;

import org.jspecify.annotations.NullMarked;
