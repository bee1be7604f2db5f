/** What all processes of a run did and believed, on disk. */
@NullMarked
package dev.holdfast.torture.history;

import org.jspecify.annotations.NullMarked;
