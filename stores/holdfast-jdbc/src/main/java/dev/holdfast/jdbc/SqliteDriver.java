package dev.holdfast.jdbc;

import dev.holdfast.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.sqlite.SQLiteConfig;

/** The Xerial driver and the native library in it. */
final class SqliteDriver {

  private SqliteDriver() {}

  /**
   * Loads the driver's classes and its library, the first time; later it does little.
   *
   * @throws StoreException if the library cannot be loaded
   */
  static void load() {
    try (Connection connection = new SQLiteConfig().createConnection("jdbc:sqlite::memory:");
        Statement statement = connection.createStatement()) {
      statement.execute("SELECT 1");
    } catch (SQLException | LinkageError e) {
      throw new StoreException(
          "",
          "SQLite's native library cannot be loaded. It is unpacked into a temporary directory"
              + " from which programs may be run: name one with -Dorg.sqlite.tmpdir=DIRECTORY.",
          e);
    }
  }
}
