package dev.holdfast.jdbc;

import dev.holdfast.servers.Database;
import dev.holdfast.servers.SqlServer;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.testkit.ManualTicker;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A database on a server, with stores of one connection each. */
final class ClockedServer implements ClockedDatabase {

  /** For the dialect to read. */
  static final String CLOCK = "(SELECT micros FROM test_clock)";

  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private final ManualTicker ticker = new ManualTicker();
  private final Database database;
  private final Dialect dialect;
  private final String parameters;
  private final Connection admin;
  private final List<JdbcLockStore> stores = new ArrayList<>();

  /**
   * A new database.
   *
   * @param dialect one whose clock is {@link #CLOCK}
   * @param parameters what the driver needs to be told to take scripts
   */
  ClockedServer(SqlServer server, Dialect dialect, String parameters) throws SQLException {
    this.dialect = dialect;
    this.parameters = parameters;
    database = server.newDatabase();
    database.execute(Schema.statements(dialect));
    admin = database.connect();
    run("CREATE TABLE test_clock (micros BIGINT NOT NULL)");
    run("INSERT INTO test_clock VALUES (" + ticker.wallMicros() + ")");
  }

  @Override
  public ManualTicker ticker() {
    return ticker;
  }

  @Override
  public JdbcLockStore open() {
    Access access =
        new Access(
            database.plainUrl(),
            dialect,
            dialect.traits(database.plainUrl()).build(),
            new OneConnection(),
            1,
            null);
    JdbcLockStore store =
        new JdbcLockStore(access, new StoreSettings(ticker, TIMEOUT), () -> {}).opened();
    stores.add(store);
    return store;
  }

  @Override
  public void advance(Duration by) throws SQLException {
    run("UPDATE test_clock SET micros = micros + " + by.toNanos() / 1_000);
    ticker.advance(by);
  }

  @Override
  public long number(String sql) throws SQLException {
    try (Statement statement = admin.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  @Override
  public void close() throws SQLException {
    stores.forEach(JdbcLockStore::close);
    ticker.close();
    admin.close();
    database.close();
  }

  private void run(String sql) throws SQLException {
    try (Statement statement = admin.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Used by the store's only thread. */
  private final class OneConnection implements Connections {

    // Mutable state
    private Session session;

    @Override
    public Session take() throws SQLException {
      if (session == null) {
        Connection connection = DriverManager.getConnection(database.url() + parameters);
        session = new Session(connection, dialect, dialect.takesScripts(connection));
      }
      return session;
    }

    @Override
    public void giveBack(Session used) {}

    @Override
    public void discard(Session broken) {
      throw new AssertionError("nothing breaks in these tests");
    }

    @Override
    public void close() {
      try {
        session.connection().close();
      } catch (SQLException e) {
        throw new AssertionError(e);
      }
    }
  }
}
