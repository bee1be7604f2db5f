/**
 * From a URL or a data source to pooled connections, and the threads that run operations on them.
 * Not API: only the packages of this store use it.
 */
@NullMarked
package dev.holdfast.jdbc.connection;

import org.jspecify.annotations.NullMarked;
