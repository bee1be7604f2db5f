/** Watches of many listeners on one stream, for stores that report changes by their revisions. */
@NullMarked
package dev.holdfast.leased.watch;

import org.jspecify.annotations.NullMarked;
