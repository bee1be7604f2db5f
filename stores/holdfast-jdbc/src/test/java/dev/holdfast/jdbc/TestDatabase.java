package dev.holdfast.jdbc;

import dev.holdfast.jdbc.connection.SqliteConnections;
import dev.holdfast.jdbc.dialect.SqliteDialect;
import dev.holdfast.jdbc.dialect.SqliteFile;
import dev.holdfast.jdbc.sql.ConnectionPool;
import dev.holdfast.jdbc.sql.Dialect;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;

/** A SQLite file with a clock that the test sets. */
final class TestDatabase extends ClockedDatabase {

  final Path file;

  private final Dialect dialect = new SqliteDialect(CLOCK, 1);

  TestDatabase(Path directory) throws SQLException {
    super(DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("locks.db")));
    file = directory.resolve("locks.db");
    run("PRAGMA journal_mode = WAL");
    run("PRAGMA synchronous = OFF"); // the clock is set thousands of times
  }

  @Override
  JdbcLockStore open() {
    ConnectionPool connections = SqliteConnections.pool(SqliteFile.of("sqlite:" + file), dialect);
    return open(connections, TIMEOUT);
  }

  JdbcLockStore open(ConnectionPool connections, Duration timeout) {
    return open(DatabaseAccess.polling("sqlite:" + file, dialect, connections), timeout);
  }

  Dialect dialect() {
    return dialect;
  }
}
