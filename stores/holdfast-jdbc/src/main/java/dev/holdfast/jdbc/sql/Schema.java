package dev.holdfast.jdbc.sql;

import dev.holdfast.StoreException;
import dev.holdfast.UnreadableRecordException;
import dev.holdfast.spi.Tokens;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** The tables, and the format number of their records. Thread-safe. */
public final class Schema {

  /** What this version writes, and all that it reads. */
  public static final int FORMAT = 1;

  /** Requests that read no queue make tokens up to this one; the slow path checks the limit. */
  public static final String LAST_TOKEN = Long.toString(Tokens.MAX - 1_000_000);

  private static final int UNWRITTEN = 0;

  /** Fails unless all tables exist and can be read, and the clock works. */
  private static final String READ =
      "SELECT format, %s FROM holdfast_schema"
          + " WHERE NOT EXISTS (SELECT 1 FROM holdfast_lock WHERE 1 = 0)"
          + " AND NOT EXISTS (SELECT channel FROM holdfast_claim WHERE 1 = 0)";

  private static final List<String> TABLES =
      List.of("holdfast_schema", "holdfast_lock", "holdfast_claim");

  /** Where the definitions of tables are in the jar. */
  public static final String RESOURCES = "/dev/holdfast/jdbc/";

  private final String url;
  private final Dialect dialect;
  private final boolean create;

  /**
   * The tables of a database.
   *
   * @param url for messages
   * @param create whether to create missing tables
   */
  public Schema(String url, Dialect dialect, boolean create) {
    this.url = url;
    this.dialect = dialect;
    this.create = create;
  }

  /**
   * Creates the tables if there are none.
   *
   * @throws StoreException if they have an unknown format, or are missing and are not to be created
   */
  public void ensure(StoreConnection connection) throws SQLException {
    int format;
    try {
      format = format(connection);
    } catch (SQLException e) {
      if (!dialect.isMissingTable(e)) {
        throw e;
      }
      make(connection, e);
      format = format(connection);
    }
    // MySQL commits after each table: the client that creates them may be about to write the
    // format, or may have died before.
    if (format == UNWRITTEN && create) {
      create(connection);
      format = format(connection);
    }
    if (format != FORMAT) {
      String advice = format > FORMAT ? ". Use the newer version that wrote it." : ".";
      throw new StoreException("", "The tables have " + otherFormat(format) + advice);
    }
    TableSafety.warn(connection, url);
  }

  /** Returns the failure for a lock whose rows this version did not write. */
  public static UnreadableRecordException unreadable(String lock, int format) {
    return new UnreadableRecordException(
        lock,
        "in holdfast_lock, name '" + lock + "', or in holdfast_claim",
        "it has " + otherFormat(format));
  }

  private static String otherFormat(int format) {
    return format > FORMAT
        ? "format " + format + "; this version of Holdfast knows " + FORMAT
        : "contents that cannot be read as format " + FORMAT;
  }

  /** Returns the statements that create the tables, in order. */
  public static List<String> statements(Dialect dialect) {
    return statements(dialect.tables());
  }

  /** Returns the statements in a resource with table definitions, in order. */
  public static List<String> statements(String resource) {
    StringBuilder sql = new StringBuilder();
    text(resource).lines().forEach(line -> sql.append(line.replaceFirst("--.*", "")).append('\n'));
    List<String> statements = new ArrayList<>();
    for (String statement : sql.toString().split(";", -1)) {
      if (!statement.isBlank()) {
        statements.add(statement.strip());
      }
    }
    return statements;
  }

  private int format(StoreConnection connection) throws SQLException {
    try (ResultSet rows = connection.prepare(READ.formatted(dialect.clock())).executeQuery()) {
      return rows.next() ? rows.getInt(1) : UNWRITTEN;
    }
  }

  private void make(StoreConnection connection, SQLException missing) throws SQLException {
    if (!create) {
      throw absent(connection, "and holdfast.create-tables is false", missing);
    }
    try {
      create(connection);
    } catch (SQLException e) {
      if (dialect.isRetryable(e)) {
        throw e;
      }
      if (!missing(connection).isEmpty()) { // otherwise another client has created them meanwhile
        throw absent(
            connection, "and it cannot be created (" + Redaction.text(dialect.explain(e)) + ")", e);
      }
    }
  }

  private StoreException absent(StoreConnection connection, String why, SQLException cause)
      throws SQLException {
    return new StoreException(
        "",
        "Cannot use %s: there is no table %s, %s; have a user with CREATE TABLE rights run %s%s from the jar of holdfast-jdbc."
            .formatted(
                url,
                String.join(", ", missing(connection)),
                why,
                RESOURCES.substring(1),
                dialect.tables()),
        cause);
  }

  private List<String> missing(StoreConnection connection) throws SQLException {
    List<String> missing = new ArrayList<>();
    for (String table : TABLES) {
      try {
        connection.run("SELECT 1 FROM " + table + " WHERE 1 = 0");
      } catch (SQLException e) {
        if (!dialect.isMissingTable(e)) {
          throw e;
        }
        missing.add(table);
      }
    }
    return missing;
  }

  /** Creates the missing tables. */
  private void create(StoreConnection connection) throws SQLException {
    connection.inTransaction(
        transaction -> {
          try (Statement statement = transaction.jdbc().createStatement()) {
            for (String sql : statements(dialect)) {
              statement.execute(sql);
            }
          }
          return true;
        });
  }

  private static String text(String resource) {
    try (InputStream in = Schema.class.getResourceAsStream(RESOURCES + resource)) {
      if (in == null) {
        throw new IllegalStateException("resource " + resource + " is missing from the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
