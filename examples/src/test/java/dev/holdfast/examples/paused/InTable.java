package dev.holdfast.examples.paused;

import dev.holdfast.Proof;
import dev.holdfast.jdbc.JdbcFence;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Rows of a table; the fence is part of the transaction that writes. */
final class InTable implements Guarded {

  private final Connection connection;

  InTable(String url) throws SQLException {
    connection = DriverManager.getConnection(url);
    connection.setAutoCommit(false);
  }

  /** Makes the tables. */
  static void prepare(String url) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      JdbcFence.prepare(connection);
      statement.execute("CREATE TABLE guarded (name VARCHAR(50) PRIMARY KEY, content VARCHAR(50))");
    }
  }

  @Override
  public void enter(Proof proof) throws SQLException {
    fenced(proof, () -> {});
  }

  @Override
  public String read(String lock) throws SQLException {
    try {
      return content(connection, lock);
    } finally {
      connection.rollback();
    }
  }

  /** What a row holds. */
  static String content(Connection connection, String lock) throws SQLException {
    try (PreparedStatement query =
        connection.prepareStatement("SELECT content FROM guarded WHERE name = ?")) {
      query.setString(1, lock);
      try (ResultSet rows = query.executeQuery()) {
        return rows.next() ? rows.getString(1) : "";
      }
    }
  }

  @Override
  public void write(Proof proof, String text) throws SQLException {
    fenced(
        proof,
        () -> {
          if (set("UPDATE guarded SET content = ? WHERE name = ?", text, proof) == 0) {
            set("INSERT INTO guarded (content, name) VALUES (?, ?)", text, proof);
          }
        });
  }

  private int set(String sql, String text, Proof proof) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, text);
      statement.setString(2, proof.lock());
      return statement.executeUpdate();
    }
  }

  private interface Work {
    void run() throws SQLException;
  }

  private void fenced(Proof proof, Work work) throws SQLException {
    try {
      JdbcFence.in(connection).enter(proof);
      work.run();
      connection.commit();
    } catch (SQLException | RuntimeException e) {
      connection.rollback();
      throw e;
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
