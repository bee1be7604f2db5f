/** A whole store, as small as one can be: locks of one host's processes, kept in a folder. */
@NullMarked
package dev.holdfast.examples.folder;

import org.jspecify.annotations.NullMarked;
