package dev.holdfast.jdbc;

import dev.holdfast.jdbc.dialect.Dialects;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Writes what does not belong there into the row of a lock, as another program might. */
final class DamagedRow {

  private DamagedRow() {}

  /** Where a text is too long for the column, or in characters that it has not, a part of it. */
  static String of(Connection connection, String lock, String text) throws SQLException {
    String plain = text.replaceAll("[^\\x00-\\x7f]", "?");
    try (PreparedStatement update =
        connection.prepareStatement("UPDATE holdfast_lock SET kind = ? WHERE name = ?")) {
      update.setString(1, plain.substring(0, Math.min(64, plain.length())));
      Dialects.of(connection).setText(update, 2, lock);
      if (update.executeUpdate() != 1) {
        throw new IllegalStateException("'" + lock + "' has no row");
      }
    }
    return "in holdfast_lock, name '" + lock + "'";
  }
}
