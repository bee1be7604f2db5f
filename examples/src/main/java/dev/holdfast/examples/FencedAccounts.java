package dev.holdfast.examples;

import dev.holdfast.Proof;
import dev.holdfast.StaleTokenException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * A table that refuses writers whose lock has passed to somebody else. The fence is one more column
 * beside the data: the greatest token that has been here.
 *
 * <p>Promises that nothing of an old holder is written once a later one has entered. Does not ask
 * the lock's store. As thread-safe as its connection.
 */
final class FencedAccounts {

  private final Connection database;

  FencedAccounts(Connection database) {
    this.database = database;
  }

  // sample: fenced-table
  /** Before the first read: from here on, every smaller token is refused. */
  void enter(int account, Proof proof) throws SQLException {
    String sql = "UPDATE account SET fence = ? WHERE id = ? AND fence <= ?";
    try (PreparedStatement update = database.prepareStatement(sql)) {
      update.setLong(1, proof.token());
      update.setInt(2, account);
      update.setLong(3, proof.token());
      refuseUnlessChanged(update.executeUpdate(), account, proof);
    }
  }

  /** The write and its check are one statement, so nobody can come in between. */
  void write(int account, long balance, Proof proof) throws SQLException {
    String sql = "UPDATE account SET balance = ?, fence = ? WHERE id = ? AND fence <= ?";
    try (PreparedStatement update = database.prepareStatement(sql)) {
      update.setLong(1, balance);
      update.setLong(2, proof.token());
      update.setInt(3, account);
      update.setLong(4, proof.token());
      refuseUnlessChanged(update.executeUpdate(), account, proof);
    }
  }

  // end

  long balance(int account) throws SQLException {
    return column(account, "SELECT balance FROM account WHERE id = ?");
  }

  private void refuseUnlessChanged(int rows, int account, Proof proof) throws SQLException {
    if (rows == 0) {
      long seen = column(account, "SELECT fence FROM account WHERE id = ?");
      throw new StaleTokenException(proof.lock(), proof.token(), seen);
    }
  }

  private long column(int account, String sql) throws SQLException {
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
}
