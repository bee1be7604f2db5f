package dev.holdfast.examples.stories;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.jdbc.FenceColumn;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The stock of a shop, sold in two ways: without a lock, by comparing and swapping; and under a
 * lock, when more than one row decides, with the token as a guard. As thread-safe as its
 * connection.
 */
final class Stock {

  private static final FenceColumn PRODUCTS = FenceColumn.of("product", "id", "fence");

  private final Connection database;

  Stock(Connection database) {
    this.database = database;
  }

  // sample: optimistic
  /** No lock: write only if the row has not changed since it was read, otherwise read again. */
  boolean sellOptimistically(int product, int wanted) throws SQLException {
    while (true) {
      int left = left(product);
      if (left < wanted) {
        return false;
      }
      String swap = "UPDATE product SET stock = ? WHERE id = ? AND stock = ?";
      try (PreparedStatement update = database.prepareStatement(swap)) {
        update.setInt(1, left - wanted);
        update.setInt(2, product);
        update.setInt(3, left);
        if (update.executeUpdate() == 1) {
          return true;
        }
      }
    }
  }

  // end

  // sample: fenced
  /** A lock, for work that is more than one statement; the row refuses earlier holders. */
  boolean sellUnderLock(Holdfast locks, int product, int wanted)
      throws SQLException, InterruptedException {
    try (Lease lease = locks.lock("product/" + product).acquire()) {
      PRODUCTS.enter(database, product, lease.proof()); // before the first read
      int left = left(product);
      if (left < wanted) {
        return false;
      }
      PRODUCTS.update(database, product, lease.proof(), "stock = ?", left - wanted);
      return true;
    }
  }

  // end

  int left(int product) throws SQLException {
    String sql = "SELECT stock FROM product WHERE id = ?";
    try (PreparedStatement query = database.prepareStatement(sql)) {
      query.setInt(1, product);
      try (ResultSet rows = query.executeQuery()) {
        return rows.next() ? rows.getInt(1) : 0;
      }
    }
  }
}
