package dev.holdfast.examples.paused;

import dev.holdfast.Proof;
import dev.holdfast.jdbc.FenceColumn;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/** Rows with a column for the token; one statement checks it and writes. */
final class InColumn implements Guarded {

  private static final FenceColumn ROWS = FenceColumn.of("guarded", "name", "fence");

  private final Connection connection;

  InColumn(String url) throws SQLException {
    connection = DriverManager.getConnection(url);
  }

  /** Makes the table, with a row for each lock. */
  static void prepare(String url) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE guarded (name VARCHAR(50) PRIMARY KEY, content VARCHAR(50),"
              + " fence BIGINT DEFAULT 0 NOT NULL)");
      for (String lock : PausedWriter.locks()) {
        statement.execute("INSERT INTO guarded (name) VALUES ('" + lock + "')");
      }
    }
  }

  @Override
  public void enter(Proof proof) throws SQLException {
    ROWS.enter(connection, proof.lock(), proof);
  }

  @Override
  public String read(String lock) throws SQLException {
    return InTable.content(connection, lock);
  }

  @Override
  public void write(Proof proof, String text) throws SQLException {
    ROWS.update(connection, proof.lock(), proof, "content = ?", text);
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
