package dev.holdfast.examples;

import dev.holdfast.Proof;
import dev.holdfast.jdbc.FenceColumn;
import dev.holdfast.jdbc.JdbcFence;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * A table that refuses writers whose lock has passed to another holder.
 *
 * <p>Promises that nothing of an old holder is written once a later one has entered. Does not ask
 * the lock's store. As thread-safe as its connection.
 */
final class FencedAccounts {

  private static final FenceColumn ACCOUNTS = FenceColumn.of("account", "id", "fence");

  private final Connection database;

  FencedAccounts(Connection database) {
    this.database = database;
  }

  // sample: transaction
  /** Several reads and writes: the fence is the transaction's first statement. */
  void transfer(int from, int to, long amount, Proof proof) throws SQLException {
    database.setAutoCommit(false);
    try {
      JdbcFence.in(database).enter(proof); // from here on, every smaller token is refused
      long left = balance(from) - amount;
      write(from, left);
      write(to, balance(to) + amount);
      database.commit(); // the fence and the writes together
    } catch (SQLException | RuntimeException e) {
      database.rollback();
      throw e;
    } finally {
      database.setAutoCommit(true);
    }
  }

  // end

  // sample: column
  /** One row: a column of it is the fence, and one statement checks it and writes. */
  void credit(int account, long amount, Proof proof) throws SQLException {
    ACCOUNTS.update(database, account, proof, "balance = balance + ?", amount);
  }

  // end

  long balance(int account) throws SQLException {
    String sql = "SELECT balance FROM account WHERE id = ?";
    try (PreparedStatement query = database.prepareStatement(sql)) {
      query.setInt(1, account);
      try (ResultSet rows = query.executeQuery()) {
        if (!rows.next()) {
          throw new SQLException("no account " + account);
        }
        return rows.getLong(1);
      }
    }
  }

  private void write(int account, long balance) throws SQLException {
    String sql = "UPDATE account SET balance = ? WHERE id = ?";
    try (PreparedStatement update = database.prepareStatement(sql)) {
      update.setLong(1, balance);
      update.setInt(2, account);
      update.executeUpdate();
    }
  }
}
