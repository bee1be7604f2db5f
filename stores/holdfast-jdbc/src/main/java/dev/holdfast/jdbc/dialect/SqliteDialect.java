package dev.holdfast.jdbc.dialect;

import dev.holdfast.Consistency;
import dev.holdfast.Finding;
import dev.holdfast.Traits;
import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.jdbc.sql.StoreConnection;
import dev.holdfast.jdbc.sql.Upsert;
import dev.holdfast.spi.support.StoreUrl;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteErrorCode;

/**
 * SQLite, through the Xerial driver. One writer at a time: one connection is enough, and a
 * transaction takes the write lock when it begins, because one that reads first and writes later
 * can fail at that point with nothing to be done about it.
 */
public final class SqliteDialect extends Dialect {

  /** SQLite knows the time in whole milliseconds; rounding undoes the division by a day. */
  public static final String CLOCK =
      "((CAST(round(julianday('now') * 86400000.0) AS INTEGER) - 210866760000000) * 1000)";

  private static final long CLOCK_STEP = 1_000;

  private final String clock;
  private final long clockStep;

  public SqliteDialect() {
    this(CLOCK, CLOCK_STEP);
  }

  /** With another clock, for tests that set it. */
  public SqliteDialect(String clock, long clockStep) {
    super("SQLite", "sqlite.sql", "3.35"); // RETURNING; the driver brings its own
    this.clock = clock;
    this.clockStep = clockStep;
  }

  @Override
  public void check(DatabaseMetaData about) throws SQLException {
    file(about).check();
  }

  private static SqliteFile file(DatabaseMetaData about) throws SQLException {
    String url = String.valueOf(about.getURL());
    if (!url.startsWith("jdbc:sqlite:")) {
      throw new IllegalArgumentException(
          "'" + StoreUrl.redact(url) + "' does not name the file; it must start with jdbc:sqlite:");
    }
    String path = url.substring("jdbc:sqlite:".length()).replaceFirst("\\?.*", "");
    return SqliteFile.of("sqlite:" + path.replaceFirst("^file:", ""));
  }

  @Override
  public Traits.Builder traits(String url) {
    return super.traits(url).consistency(Consistency.LINEARIZABLE);
  }

  @Override
  public int connections() {
    return 1;
  }

  @Override
  public String clock() {
    return clock;
  }

  @Override
  public long clockStep() {
    return clockStep;
  }

  @Override
  public String takeFree() {
    return Upsert.text(clock, "max");
  }

  @Override
  public String forUpdate() {
    return ""; // the transaction has the write lock
  }

  @Override
  public String isWhole(String column) {
    return "typeof(" + column + ") IN ('integer', 'null')"; // any column holds any type
  }

  @Override
  public List<String> beginning() {
    return List.of("BEGIN IMMEDIATE");
  }

  @Override
  public String intrusions() {
    return """
        SELECT tbl_name, 'trigger', name FROM sqlite_master
            WHERE type = 'trigger' AND lower(tbl_name) IN (NAMES)
        UNION ALL SELECT name, 'kind', type FROM sqlite_master
            WHERE type = 'view' AND lower(name) IN (NAMES)""";
  }

  /** The file is all the tables there are, and its owner theirs. */
  @Override
  public List<Finding> examine(StoreConnection connection) throws SQLException {
    SqliteFile file = file(connection.jdbc().getMetaData());
    return file.isWritableByAll()
        ? List.of(
            Finding.warning(
                "every user of this host can write "
                    + file.path()
                    + ", and so take and break locks; say: chmod o-w "
                    + file.path()))
        : List.of();
  }

  @Override
  public boolean isRetryable(SQLException failure) {
    return switch (SQLiteErrorCode.getErrorCode(primaryCode(failure))) {
      case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL -> true;
      default -> false;
    };
  }

  @Override
  public boolean isMissingTable(SQLException failure) {
    return String.valueOf(failure.getMessage()).contains("no such table");
  }

  @Override
  public String explain(SQLException failure) {
    return switch (SQLiteErrorCode.getErrorCode(primaryCode(failure))) {
      case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL ->
          "others kept the file locked all the time";
      case SQLITE_NOTADB -> "the file is not a SQLite database; name another file";
      case SQLITE_CORRUPT -> "the file is damaged; move it away to start again";
      case SQLITE_CANTOPEN ->
          "the file cannot be opened or created; its directory must be writable";
      case SQLITE_READONLY, SQLITE_PERM ->
          "the file or its directory is read-only; this user must be able to write both";
      case SQLITE_FULL -> "the disk is full";
      case SQLITE_IOERR -> "the disk reported an error (" + failure.getMessage() + ")";
      default -> String.valueOf(failure.getMessage());
    };
  }

  @Override
  public Restore prepare(Connection connection, int millis) throws SQLException {
    boolean autoCommit = connection.getAutoCommit();
    if (!autoCommit) {
      connection.setAutoCommit(true);
    }
    if (!connection.isWrapperFor(SQLiteConnection.class)) {
      return () -> connection.setAutoCommit(autoCommit);
    }
    // The driver would wait longer than the operation has: we wait ourselves.
    SQLiteConnection sqlite = connection.unwrap(SQLiteConnection.class);
    int busyTimeout = sqlite.getBusyTimeout();
    sqlite.setBusyTimeout(0);
    return () -> {
      sqlite.setBusyTimeout(busyTimeout);
      if (!autoCommit) {
        connection.setAutoCommit(false);
      }
    };
  }

  /** There is no server. */
  @Override
  public void limit(Connection connection, int millis) {}

  // Extended codes keep the primary one in the low byte.
  private static int primaryCode(SQLException failure) {
    return failure.getErrorCode() & 0xff;
  }
}
