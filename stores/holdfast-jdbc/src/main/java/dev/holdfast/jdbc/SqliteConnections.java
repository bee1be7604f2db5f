package dev.holdfast.jdbc;

import dev.holdfast.StoreException;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteErrorCode;

/**
 * One long-lived connection to a SQLite file, opened when first needed and again after a failure.
 * Used by one thread.
 *
 * <p>A file that is deleted or replaced under an open connection goes on working for that
 * connection alone, while others lock a different file. So now and then it looks whether the name
 * still leads to the file that is open, and opens anew if not.
 */
final class SqliteConnections implements Connections {

  private static final System.Logger LOG = System.getLogger(SqliteConnections.class.getName());

  private static final long LOOK_EVERY = Duration.ofMillis(100).toNanos();

  private final SqliteFile file;
  private final Dialect dialect;

  // Mutable state
  private @Nullable Session session;
  private @Nullable Object identity;
  private long looked;

  SqliteConnections(SqliteFile file, Dialect dialect) {
    this.file = file;
    this.dialect = dialect;
  }

  @Override
  public Session take(int millis) throws SQLException {
    Session known = session;
    long now = System.nanoTime();
    if (known != null && now - looked >= LOOK_EVERY) {
      looked = now;
      Object found = file.identity();
      if (found == null || !found.equals(identity)) {
        LOG.log(
            Level.WARNING,
            "{0} was deleted or replaced while in use: claims in the old file are void",
            file.url());
        discard(known);
        known = null;
      }
    }
    return known != null ? known : open();
  }

  @Override
  public void giveBack(Session used) throws SQLException {
    used.forget();
  }

  @Override
  public void discard(Session broken) {
    session = null;
    try {
      broken.connection().close();
    } catch (SQLException e) {
      LOG.log(Level.DEBUG, "Closing " + file.url(), e);
    }
  }

  @Override
  public void close() {
    Session known = session;
    if (known != null) {
      discard(known);
    }
  }

  private Session open() throws SQLException {
    file.check();
    Connection connection = null;
    try {
      connection = connect();
      Session opened = new Session(connection, dialect);
      new Schema(file.url(), dialect, true).ensure(opened);
      identity = file.identity();
      looked = System.nanoTime();
      session = opened;
      return opened;
    } catch (SQLException | RuntimeException e) {
      if (connection != null) {
        connection.close();
      }
      if (e instanceof SQLException failure && !dialect.isRetryable(failure)) {
        throw new StoreException(
            "", "Cannot use " + file.url() + ": " + dialect.explain(failure) + ".", failure);
      }
      throw e;
    }
  }

  private Connection connect() throws SQLException {
    SQLiteConfig config = new SQLiteConfig();
    config.setBusyTimeout(0); // the executor waits, within the operation's deadline
    Connection connection = config.createConnection("jdbc:sqlite:" + file.path());
    try (Statement statement = connection.createStatement()) {
      // Readers do not block the writer. A commit survives the death of any process. It may not
      // survive a power cut, but neither does any holder: all of them are on this host.
      useWriteAheadLog(statement);
      statement.execute("PRAGMA synchronous = NORMAL");
    } catch (SQLException | RuntimeException e) {
      connection.close();
      throw e;
    }
    return connection;
  }

  private void useWriteAheadLog(Statement statement) throws SQLException {
    for (String pragma : new String[] {"PRAGMA journal_mode", "PRAGMA journal_mode = WAL"}) {
      try (ResultSet rows = statement.executeQuery(pragma)) {
        if (rows.next() && rows.getString(1).equalsIgnoreCase("wal")) {
          return;
        }
      }
    }
    throw new SQLException(
        "the file system cannot share memory between processes, which a write-ahead log needs",
        "",
        SQLiteErrorCode.SQLITE_ERROR.code);
  }
}
