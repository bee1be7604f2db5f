package dev.holdfast.jdbc.connection;

import dev.holdfast.StoreException;
import dev.holdfast.jdbc.dialect.SqliteFile;
import dev.holdfast.jdbc.sql.ConnectionPool;
import dev.holdfast.jdbc.sql.Dialect;
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
 * Opens a SQLite file. Used by one thread.
 *
 * <p>A file that is deleted or replaced under an open connection goes on working for that
 * connection alone, while others lock a different file. So its pool asks from time to time whether
 * the name still leads to the open file, and opens the file again if not.
 */
public final class SqliteConnections implements ConnectionPool.Source {

  private static final System.Logger LOG = System.getLogger(SqliteConnections.class.getName());

  private static final long LOOK_EVERY = Duration.ofMillis(100).toNanos();

  private final SqliteFile file;
  private final Dialect dialect;

  // Mutable state
  private @Nullable Object identity;
  private long looked;

  private SqliteConnections(SqliteFile file, Dialect dialect) {
    this.file = file;
    this.dialect = dialect;
  }

  /** One connection to a file, opened when first needed and again after a failure. */
  public static ConnectionPool pool(SqliteFile file, Dialect dialect) {
    return DatabasePool.ofFile(new SqliteConnections(file, dialect), file.url(), dialect);
  }

  /**
   * Loads the driver's classes and the native library in it, the first time; later it does little.
   *
   * @throws StoreException if the library cannot be loaded
   */
  public static void load() {
    try (Connection connection = new SQLiteConfig().createConnection("jdbc:sqlite::memory:");
        Statement statement = connection.createStatement()) {
      statement.execute("SELECT 1");
    } catch (SQLException | LinkageError e) {
      throw new StoreException(
          "",
          "SQLite's native library cannot be loaded. It is unpacked into a temporary directory"
              + " from which programs may be run: name one with -Dorg.sqlite.tmpdir=DIRECTORY.",
          e);
    }
  }

  @Override
  public boolean isCurrent() {
    if (System.nanoTime() - looked < LOOK_EVERY) {
      return true;
    }
    looked = System.nanoTime();
    boolean current = identity != null && identity.equals(file.identity());
    if (!current) {
      LOG.log(
          Level.WARNING,
          "{0} was deleted or replaced while in use: claims in the old file are void",
          file.url());
    }
    return current;
  }

  @Override
  public Connection open() throws SQLException {
    file.check();
    try {
      Connection opened = connect();
      identity = file.identity();
      looked = System.nanoTime();
      return opened;
    } catch (SQLException e) {
      if (dialect.isRetryable(e)) {
        throw e;
      }
      throw new StoreException("", "Cannot use " + file.url() + ": " + dialect.explain(e) + ".", e);
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
