package dev.holdfast.jdbc;

import dev.holdfast.jdbc.sql.ConnectionPool;
import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.jdbc.sql.Schema;
import dev.holdfast.jdbc.sql.StoreConnection;
import dev.holdfast.servers.Database;
import dev.holdfast.servers.SqlServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** A database on a server, with a clock that the test sets and stores of one connection each. */
final class ClockedServer extends ClockedDatabase {

  private final Database database;
  private final Dialect dialect;
  private final String parameters;

  private ClockedServer(Database database, Dialect dialect, String parameters) throws SQLException {
    super(database.connect());
    this.database = database;
    this.dialect = dialect;
    this.parameters = parameters;
  }

  /**
   * A new database.
   *
   * @param dialect one whose clock is {@link #CLOCK}
   * @param parameters what the driver needs to accept scripts
   */
  static ClockedServer on(SqlServer server, Dialect dialect, String parameters)
      throws SQLException {
    Database database = server.newDatabase();
    database.execute(Schema.statements(dialect));
    return new ClockedServer(database, dialect, parameters);
  }

  @Override
  JdbcLockStore open() {
    String url = database.plainUrl();
    ConnectionPool one = new OneConnection();
    return open(
        new DatabaseAccess(url, dialect, dialect.traits(url).build(), one, 1, null, false),
        TIMEOUT);
  }

  @Override
  public void close() throws SQLException {
    super.close();
    database.close();
  }

  /** Used by the store's only thread. */
  private final class OneConnection implements ConnectionPool {

    // Mutable state
    private StoreConnection session;

    @Override
    public StoreConnection take(int millis) throws SQLException {
      if (session == null) {
        Connection connection = DriverManager.getConnection(database.url() + parameters);
        session = new StoreConnection(connection, dialect, dialect.takesScripts(connection));
      }
      return session;
    }

    @Override
    public void giveBack(StoreConnection used) {}

    @Override
    public void discard(StoreConnection broken) {
      throw new AssertionError("nothing breaks in these tests");
    }

    @Override
    public void close() {
      try {
        session.jdbc().close();
      } catch (SQLException e) {
        throw new AssertionError(e);
      }
    }
  }
}
