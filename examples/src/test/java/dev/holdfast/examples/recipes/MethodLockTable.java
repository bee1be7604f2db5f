package dev.holdfast.examples.recipes;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;

/** A row under a unique key is the lock: INSERT takes it, DELETE gives it back. On MariaDB. */
record MethodLockTable(Connection database, String method) {

  static final String TABLE =
      """
      CREATE TABLE method_lock (
        id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
        method_name VARCHAR(64) NOT NULL,
        `desc` VARCHAR(255) NOT NULL,
        update_time TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
        UNIQUE KEY uidx_method_name (method_name)
      ) ENGINE = InnoDB""";

  // sample: table
  boolean tryLock() throws SQLException {
    try {
      execute("INSERT INTO method_lock (method_name, `desc`) VALUES (?, 'locked')");
      return true;
    } catch (SQLIntegrityConstraintViolationException taken) {
      return false;
    }
  }

  void unlock() throws SQLException {
    execute("DELETE FROM method_lock WHERE method_name = ?");
  }

  private void execute(String sql) throws SQLException {
    try (PreparedStatement statement = database.prepareStatement(sql)) {
      statement.setString(1, method);
      statement.executeUpdate();
    }
  }
  // end
}
