/**
 * Locks in a SQL database: PostgreSQL, MySQL, MariaDB, H2 and SQLite, each one small dialect.
 *
 * <p>A lock is one row, and the granted head of its queue sits in that row: taking and releasing an
 * uncontended lock is one statement each ({@code FastPath}). Everything else reads the whole queue
 * of a lock under its row, applies the model to it in memory and writes the difference, in one
 * transaction ({@code SlowPath}, {@code LockQueue}). All times come from the database's clock.
 */
@NullMarked
package dev.holdfast.jdbc;

import org.jspecify.annotations.NullMarked;
