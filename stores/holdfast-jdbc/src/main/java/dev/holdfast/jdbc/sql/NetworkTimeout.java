package dev.holdfast.jdbc.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;

/** The longest wait for an answer of the server, where the driver has one. */
final class NetworkTimeout {

  private NetworkTimeout() {}

  /** Returns it in milliseconds; a negative number if the driver has none. */
  static int of(Connection connection) throws SQLException {
    try {
      return connection.getNetworkTimeout();
    } catch (SQLFeatureNotSupportedException none) {
      return -1;
    }
  }

  static void set(Connection connection, int millis) throws SQLException {
    try {
      connection.setNetworkTimeout(Runnable::run, millis);
    } catch (SQLFeatureNotSupportedException stays) {
      // Then only the engine's own timer ends the wait.
    }
  }
}
