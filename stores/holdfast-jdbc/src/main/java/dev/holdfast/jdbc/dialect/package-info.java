/**
 * The dialects of database servers, H2 and SQLite. Not API: only the packages of this store use it.
 */
@NullMarked
package dev.holdfast.jdbc.dialect;

import org.jspecify.annotations.NullMarked;
