/**
 * A lock's queue in its rows, and the paths by which claims join, refresh and leave: one statement
 * where the lock row decides alone, one transaction over the whole queue otherwise. Not API: only
 * the packages of this store use it.
 */
@NullMarked
package dev.holdfast.jdbc.queue;

import org.jspecify.annotations.NullMarked;
