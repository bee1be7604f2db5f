package dev.holdfast.examples.stories;

import dev.holdfast.Proof;
import dev.holdfast.jdbc.JdbcFence;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * A ledger in which each entry continues the last one. Two writers at once would break it for good,
 * so it does not rely on the lock alone: correctness. As thread-safe as its connection.
 */
final class Ledger {

  private final Connection database;

  Ledger(Connection database) {
    this.database = database;
  }

  // sample: post
  /** Adds an entry that continues the last one, or nothing if the lock has passed on. */
  void post(long amount, Proof proof) throws SQLException {
    database.setAutoCommit(false);
    try {
      JdbcFence.in(database).enter(proof); // before the first read
      append(balance() + amount);
      database.commit(); // the entry and the check together
    } catch (SQLException | RuntimeException e) {
      database.rollback();
      throw e;
    } finally {
      database.setAutoCommit(true);
    }
  }

  // end

  long balance() throws SQLException {
    String sql = "SELECT balance FROM entry ORDER BY id DESC LIMIT 1";
    try (PreparedStatement query = database.prepareStatement(sql);
        ResultSet rows = query.executeQuery()) {
      rows.next();
      return rows.getLong(1);
    }
  }

  private void append(long balance) throws SQLException {
    try (PreparedStatement insert =
        database.prepareStatement("INSERT INTO entry (balance) VALUES (?)")) {
      insert.setLong(1, balance);
      insert.executeUpdate();
    }
  }
}
