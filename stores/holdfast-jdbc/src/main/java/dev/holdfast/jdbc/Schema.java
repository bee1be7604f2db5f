package dev.holdfast.jdbc;

import dev.holdfast.StoreException;
import dev.holdfast.UnreadableRecordException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** The tables, and the number of the format in which records are kept. Safe for any threads. */
final class Schema {

  /** What this version writes, and all that it reads. */
  static final int FORMAT = 1;

  private static final int UNWRITTEN = 0;

  /** Fails unless all tables are there, may be read, and the clock can be asked. */
  private static final String READ =
      "SELECT format, %s FROM holdfast_schema"
          + " WHERE NOT EXISTS (SELECT 1 FROM holdfast_lock WHERE 1 = 0)"
          + " AND NOT EXISTS (SELECT channel FROM holdfast_claim WHERE 1 = 0)";

  private static final List<String> TABLES =
      List.of("holdfast_schema", "holdfast_lock", "holdfast_claim");

  private final String url;
  private final Dialect dialect;
  private final boolean create;

  /**
   * The tables of a database.
   *
   * @param url for messages
   * @param create whether to make them where they are missing
   */
  Schema(String url, Dialect dialect, boolean create) {
    this.url = url;
    this.dialect = dialect;
    this.create = create;
  }

  /**
   * Makes the tables if there are none.
   *
   * @throws StoreException if there are some of a format that this version does not know, or none
   *     and it is not to make them
   */
  void ensure(Session session) throws SQLException {
    int format;
    try {
      format = format(session);
    } catch (SQLException e) {
      if (!dialect.isMissingTable(e)) {
        throw e;
      }
      make(session, e);
      format = format(session);
    }
    // MySQL commits after each table: whoever makes them may be about to write the format, or have
    // died before it.
    if (format == UNWRITTEN && create) {
      create(session);
      format = format(session);
    }
    if (format != FORMAT) {
      String advice = format > FORMAT ? ". Use the newer version that wrote it." : ".";
      throw new StoreException("", "The tables have " + otherFormat(format) + advice);
    }
    TableSafety.warn(session, url);
  }

  /** For a lock whose rows are not as this version writes them. */
  static UnreadableRecordException unreadable(String lock, int format) {
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

  /** The statements that make the tables, in order. */
  static List<String> statements(Dialect dialect) {
    return statements(dialect.tables());
  }

  /** The statements of a resource with table definitions, in order. */
  static List<String> statements(String resource) {
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

  private int format(Session session) throws SQLException {
    try (ResultSet rows = session.prepare(READ.formatted(dialect.clock())).executeQuery()) {
      return rows.next() ? rows.getInt(1) : UNWRITTEN;
    }
  }

  private void make(Session session, SQLException missing) throws SQLException {
    if (!create) {
      throw absent(session, "and holdfast.create-tables is false", missing);
    }
    try {
      create(session);
    } catch (SQLException e) {
      if (dialect.isRetryable(e)) {
        throw e;
      }
      if (!missing(session).isEmpty()) { // otherwise somebody else has made them meanwhile
        throw absent(session, "and cannot be made (" + Redaction.text(dialect.explain(e)) + ")", e);
      }
    }
  }

  private StoreException absent(Session session, String why, SQLException cause)
      throws SQLException {
    return new StoreException(
        "",
        "Cannot use %s: there is no table %s, %s; let somebody who may make tables run %s/%s from the jar of holdfast-jdbc."
            .formatted(
                url,
                String.join(", ", missing(session)),
                why,
                Schema.class.getPackageName().replace('.', '/'),
                dialect.tables()),
        cause);
  }

  private List<String> missing(Session session) throws SQLException {
    List<String> missing = new ArrayList<>();
    for (String table : TABLES) {
      try {
        session.run("SELECT 1 FROM " + table + " WHERE 1 = 0");
      } catch (SQLException e) {
        if (!dialect.isMissingTable(e)) {
          throw e;
        }
        missing.add(table);
      }
    }
    return missing;
  }

  /** All that is missing. */
  private void create(Session session) throws SQLException {
    session.inTransaction(
        transaction -> {
          try (Statement statement = transaction.connection().createStatement()) {
            for (String sql : statements(dialect)) {
              statement.execute(sql);
            }
          }
          return true;
        });
  }

  private static String text(String resource) {
    try (InputStream in = Schema.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("resource " + resource + " is missing from the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
