/**
 * Tells clients that wait that their turn may have come: by notifications where the database sends
 * them, by polling elsewhere. Not API: only the packages of this store use it.
 */
@NullMarked
package dev.holdfast.jdbc.poll;

import org.jspecify.annotations.NullMarked;
