package dev.holdfast.bench.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** What differs from database to database. */
enum SqlDialect {
  POSTGRESQL(
      """
      INSERT INTO floor_lock (name, owner, token, until)
      VALUES (?, ?, 1, statement_timestamp() + INTERVAL '30' SECOND)
      ON CONFLICT (name) DO UPDATE
        SET owner = excluded.owner, token = floor_lock.token + 1, until = excluded.until
        WHERE floor_lock.owner IS NULL OR floor_lock.until < statement_timestamp()
      RETURNING token""",
      "TIMESTAMP",
      "&prepareThreshold=1") {
    @Override
    PreparedStatement prepareTake(Connection connection) throws SQLException {
      return connection.prepareStatement(take);
    }

    @Override
    long runTake(PreparedStatement statement) throws SQLException {
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next() ? rows.getLong(1) : 0;
      }
    }
  },

  /** The token comes back as if it were a generated key, so no rows have to be sent. */
  MARIADB(
      """
      INSERT INTO floor_lock (name, owner, token, until)
      VALUES (?, ?, LAST_INSERT_ID(1), UTC_TIMESTAMP(6) + INTERVAL 30 SECOND)
      ON DUPLICATE KEY UPDATE
        token = IF(owner IS NULL OR until < UTC_TIMESTAMP(6),
          LAST_INSERT_ID(token + 1), token + LAST_INSERT_ID(0)),
        owner = IF(owner IS NULL OR until < UTC_TIMESTAMP(6), VALUES(owner), owner),
        until = IF(owner = VALUES(owner), VALUES(until), until)""",
      "DATETIME(6)",
      "&useServerPrepStmts=true") {
    @Override
    PreparedStatement prepareTake(Connection connection) throws SQLException {
      return connection.prepareStatement(take, Statement.RETURN_GENERATED_KEYS);
    }

    @Override
    long runTake(PreparedStatement statement) throws SQLException {
      statement.executeUpdate();
      try (ResultSet keys = statement.getGeneratedKeys()) {
        return keys.next() ? keys.getLong(1) : 0;
      }
    }
  };

  final String take;
  private final String time;

  /** What a URL needs so that the server prepares a statement at its first use. */
  final String preparedByServer;

  SqlDialect(String take, String time, String preparedByServer) {
    this.take = take;
    this.time = time;
    this.preparedByServer = preparedByServer;
  }

  /** A table whose columns of type TIMESTAMP have the type of a time that says what it is. */
  String table(String ddl) {
    return ddl.replace("TIMESTAMP", time);
  }

  abstract PreparedStatement prepareTake(Connection connection) throws SQLException;

  /** The token, or 0 if the lock is not free. */
  abstract long runTake(PreparedStatement statement) throws SQLException;
}
