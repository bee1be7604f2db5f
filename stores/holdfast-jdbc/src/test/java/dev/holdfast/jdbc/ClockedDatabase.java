package dev.holdfast.jdbc;

import dev.holdfast.spi.StoreSettings;
import dev.holdfast.testkit.ManualTicker;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A database whose clock is a row that the test sets, looked at and changed through a connection of
 * the test's own. The stores' ticker goes along with the clock.
 */
abstract class ClockedDatabase implements AutoCloseable {

  /** For the dialect to read. */
  static final String CLOCK = "(SELECT micros FROM test_clock)";

  /** How many lock rows do not say what is true of their claims. */
  static final String INCONSISTENT =
      "SELECT COUNT(*) FROM holdfast_lock l WHERE l.token > l.last_token OR l.queued <>"
          + " (SELECT COUNT(*) FROM holdfast_claim c WHERE c.lock_name = l.name)";

  static final Duration TIMEOUT = Duration.ofSeconds(20);

  final ManualTicker ticker = new ManualTicker();

  private final Connection connection;
  private final List<JdbcLockStore> stores = new ArrayList<>();

  ClockedDatabase(Connection connection) throws SQLException {
    this.connection = connection;
    run("CREATE TABLE IF NOT EXISTS test_clock (micros BIGINT NOT NULL)");
    run("DELETE FROM test_clock");
    run("INSERT INTO test_clock VALUES (" + ticker.wallMicros() + ")");
  }

  /** A store of a separate client. */
  abstract JdbcLockStore open();

  final JdbcLockStore open(DatabaseAccess access, Duration timeout) {
    JdbcLockStore store =
        new JdbcLockStore(access, new StoreSettings(ticker, timeout), () -> {}).opened();
    stores.add(store);
    return store;
  }

  /** Moves the clock and the ticker ahead; tasks that come due are handed over. */
  final void advance(Duration by) throws SQLException {
    setClock(now() + by.toNanos() / 1_000);
    ticker.advance(by);
  }

  final long now() throws SQLException {
    return number("SELECT micros FROM test_clock");
  }

  final void setClock(long micros) throws SQLException {
    run("UPDATE test_clock SET micros = " + micros);
  }

  final void run(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** What a query finds. */
  final long number(String sql) throws SQLException {
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
