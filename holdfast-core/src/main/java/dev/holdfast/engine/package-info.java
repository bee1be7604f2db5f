/** Reentrancy, hand-off, waiting, renewal, loss and events. Not exported: never API. */
@NullMarked
package dev.holdfast.engine;

import org.jspecify.annotations.NullMarked;
