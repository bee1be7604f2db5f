package dev.holdfast.jdbc;

import dev.holdfast.Traits;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * What one SQL engine does its own way. A further engine is one class of these and one file of
 * table definitions.
 *
 * <p>Constant, and safe for any threads.
 */
interface Dialect {

  /** As {@link java.sql.DatabaseMetaData#getDatabaseProductName} spells it. */
  String product();

  /** The resource with the table definitions, beside this class. */
  String tables();

  /**
   * Refuses a database where locks would not exclude.
   *
   * @param url as the driver gives it
   * @throws IllegalArgumentException or StoreException saying why
   */
  void check(String url);

  /** A query that has a row if {@code holdfast_schema} exists. */
  String findTables();

  Traits traits();

  /** How many connections it makes sense to use at once. */
  int connections();

  /**
   * The database's clock in microseconds since 1970 as an expression; constant within a statement,
   * and in UTC, which never jumps for summer time.
   */
  String clock();

  /** How coarse that clock is, in microseconds. */
  long clockStep();

  /**
   * Takes a lock that nobody holds or waits for, in one round trip, whether its row exists or not;
   * changes nothing otherwise. The parameters are those that {@link FastPath} binds.
   */
  String takeFree();

  /**
   * Runs {@link #takeFree} with its parameters bound.
   *
   * @return the token, or null if the lock was not free
   */
  default @Nullable Long runTakeFree(PreparedStatement statement) throws SQLException {
    try (ResultSet rows = statement.executeQuery()) {
      Long token = rows.next() ? rows.getLong(1) : null;
      // To the end: only then has SQLite committed, and an error of the commit been reported.
      while (rows.next()) {
        throw new SQLException("more than one row for one lock");
      }
      return token;
    }
  }

  /** What makes a query keep others from changing the rows it read until the transaction ends. */
  String forUpdate();

  /** Starts a transaction that will write. */
  void begin(Session session) throws SQLException;

  void commit(Session session) throws SQLException;

  void rollback(Session session) throws SQLException;

  /**
   * Whether the whole transaction surely did nothing and may succeed if repeated: busy, deadlock,
   * serialization failure.
   */
  boolean isRetryable(SQLException failure);

  /** What a failure means, for people; what to do about it where that can be said. */
  String explain(SQLException failure);

  /**
   * Makes a connection of the caller's usable.
   *
   * @return undoes that
   */
  Restore prepare(Connection connection) throws SQLException;

  /** Makes a connection again what it was. */
  @FunctionalInterface
  interface Restore {
    void run() throws SQLException;
  }
}
