package dev.holdfast.jdbc;

import dev.holdfast.StoreException;
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

  private final Dialect dialect;

  Schema(Dialect dialect) {
    this.dialect = dialect;
  }

  /**
   * Makes the tables if there are none.
   *
   * @throws StoreException if there are some of a format that this version does not know
   */
  void ensure(Session session) throws SQLException {
    if (!exists(session)) {
      session.inTransaction(
          transaction -> {
            create(transaction);
            return true;
          });
    }
    try (ResultSet rows = session.prepare("SELECT format FROM holdfast_schema").executeQuery()) {
      int format = rows.next() ? rows.getInt(1) : 0;
      if (format != FORMAT) {
        throw unknownFormat("", format);
      }
    }
  }

  static StoreException unknownFormat(String lock, int format) {
    String what = lock.isEmpty() ? "The tables have" : "The record of '" + lock + "' has";
    String known = "this version of Holdfast knows " + FORMAT;
    return new StoreException(
        lock,
        format > FORMAT
            ? what + " format " + format + "; " + known + ". Use the newer version that wrote it."
            : what + " contents that cannot be read as format " + FORMAT + ".");
  }

  /** The statements that make the tables, in order. */
  static List<String> statements(Dialect dialect) {
    StringBuilder sql = new StringBuilder();
    text(dialect.tables())
        .lines()
        .forEach(line -> sql.append(line.replaceFirst("--.*", "")).append('\n'));
    List<String> statements = new ArrayList<>();
    for (String statement : sql.toString().split(";", -1)) {
      if (!statement.isBlank()) {
        statements.add(statement.strip());
      }
    }
    return statements;
  }

  private boolean exists(Session session) throws SQLException {
    try (ResultSet rows = session.prepare(dialect.findTables()).executeQuery()) {
      return rows.next();
    }
  }

  private void create(Session session) throws SQLException {
    try (Statement statement = session.connection().createStatement()) {
      for (String sql : statements(dialect)) {
        statement.execute(sql);
      }
    }
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
