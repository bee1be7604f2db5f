package dev.holdfast.jdbc;

import dev.holdfast.StoreException;
import dev.holdfast.spi.StoreUrl;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;

/**
 * Connections of the caller's: taken for one operation, given back as they came. Safe for any
 * threads.
 */
final class DataSourceConnections implements Connections {

  private static final System.Logger LOG = System.getLogger(DataSourceConnections.class.getName());

  private final DataSource dataSource;
  private final String url;
  private final Dialect dialect;
  private final ConcurrentHashMap<Session, Dialect.Restore> taken = new ConcurrentHashMap<>();

  // Mutable state
  private volatile boolean hasTables;

  private DataSourceConnections(DataSource dataSource, String url, Dialect dialect) {
    this.dataSource = dataSource;
    this.url = url;
    this.dialect = dialect;
  }

  /**
   * Asks the database what it is.
   *
   * @throws IllegalArgumentException if it is not one that Holdfast knows
   * @throws StoreException if it cannot be reached or used
   */
  static DataSourceConnections of(DataSource dataSource) {
    try (Connection connection = dataSource.getConnection()) {
      String url = String.valueOf(connection.getMetaData().getURL());
      Dialect dialect = Dialects.of(connection.getMetaData().getDatabaseProductName());
      dialect.check(url);
      return new DataSourceConnections(dataSource, StoreUrl.redact(url), dialect);
    } catch (SQLException e) {
      throw new StoreException("", "No connection from the data source: " + e.getMessage(), e);
    }
  }

  String url() {
    return url;
  }

  Dialect dialect() {
    return dialect;
  }

  @Override
  public Session take() throws SQLException {
    Connection connection = dataSource.getConnection();
    Session session = new Session(connection, dialect);
    try {
      taken.put(session, dialect.prepare(connection));
      if (!hasTables) {
        new Schema(dialect).ensure(session);
        hasTables = true;
      }
      return session;
    } catch (SQLException | RuntimeException e) {
      discard(session);
      throw e;
    }
  }

  @Override
  public void giveBack(Session session) throws SQLException {
    try (Connection connection = session.connection()) {
      Dialect.Restore restore = taken.remove(session);
      session.close();
      if (restore != null) {
        restore.run();
      }
    }
  }

  /** As given back: what is broken for good, its pool finds out. */
  @Override
  public void discard(Session session) {
    try {
      giveBack(session);
    } catch (SQLException e) {
      LOG.log(Level.DEBUG, "Giving back a connection after a failure", e);
    }
  }

  /** The data source is the caller's. */
  @Override
  public void close() {}
}
