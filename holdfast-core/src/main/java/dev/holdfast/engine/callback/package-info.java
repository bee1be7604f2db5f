/**
 * What comes in from the store and goes out to the caller: answers, events, and the threads that
 * run the caller's code. Nothing here knows about locks.
 */
@NullMarked
package dev.holdfast.engine.callback;

import org.jspecify.annotations.NullMarked;
