package dev.holdfast.jdbc;

import dev.holdfast.spi.StoreSettings;
import dev.holdfast.testkit.ManualTicker;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A SQLite file whose clock is a row that the test sets, looked at and changed through a connection
 * of the test's own. The stores' ticker goes along with the clock.
 */
final class TestDatabase implements ClockedDatabase {

  static final Duration TIMEOUT = Duration.ofSeconds(20);

  final ManualTicker ticker = new ManualTicker();
  final Path file;

  private final Dialect dialect = new SqliteDialect("(SELECT micros FROM test_clock)", 1);
  private final Connection connection;
  private final List<JdbcLockStore> stores = new ArrayList<>();

  TestDatabase(Path directory) throws SQLException {
    file = directory.resolve("locks.db");
    connection = DriverManager.getConnection("jdbc:sqlite:" + file);
    run("PRAGMA journal_mode = WAL");
    run("PRAGMA synchronous = OFF"); // the clock is set thousands of times
    run("CREATE TABLE IF NOT EXISTS test_clock (micros INTEGER NOT NULL)");
    run("DELETE FROM test_clock");
    run("INSERT INTO test_clock VALUES (" + ticker.wallMicros() + ")");
  }

  @Override
  public ManualTicker ticker() {
    return ticker;
  }

  @Override
  public JdbcLockStore open() {
    Connections connections = new SqliteConnections(SqliteFile.of("sqlite:" + file), dialect);
    return open(connections, TIMEOUT);
  }

  JdbcLockStore open(Connections connections, Duration timeout) {
    StoreSettings settings = new StoreSettings(ticker, timeout);
    Access access = Access.polling("sqlite:" + file, dialect, connections);
    JdbcLockStore store = new JdbcLockStore(access, settings, () -> {}).opened();
    stores.add(store);
    return store;
  }

  Dialect dialect() {
    return dialect;
  }

  @Override
  public void advance(Duration by) throws SQLException {
    setClock(now() + by.toNanos() / 1_000);
    ticker.advance(by);
  }

  long now() throws SQLException {
    return number("SELECT micros FROM test_clock");
  }

  void setClock(long micros) throws SQLException {
    run("UPDATE test_clock SET micros = " + micros);
  }

  void run(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Override
  public long number(String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  @Override
  public void close() throws SQLException {
    stores.forEach(JdbcLockStore::close);
    ticker.close();
    connection.close();
  }
}
