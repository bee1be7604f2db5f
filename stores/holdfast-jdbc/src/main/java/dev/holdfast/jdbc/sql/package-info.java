/**
 * What runs on every SQL database: connections with their statements, scripts, the tables, and what
 * a dialect has to define. Not API: only the packages of this store use it.
 */
@NullMarked
package dev.holdfast.jdbc.sql;

import org.jspecify.annotations.NullMarked;
