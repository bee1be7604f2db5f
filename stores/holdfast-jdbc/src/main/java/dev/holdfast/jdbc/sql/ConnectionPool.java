package dev.holdfast.jdbc.sql;

import java.sql.Connection;
import java.sql.SQLException;

/** Hands out connections. Each is used by one thread at a time. */
public interface ConnectionPool extends AutoCloseable {

  /** Opens connections, or has them from elsewhere. */
  @FunctionalInterface
  interface Source {
    Connection open() throws SQLException;

    /** Returns whether what it opened last is still what it would open now. */
    default boolean isCurrent() {
      return true;
    }
  }

  /**
   * Takes a connection that works, as far as is known.
   *
   * @param millis the longest wait for an answer of the server while the connection is prepared
   */
  StoreConnection take(int millis) throws SQLException;

  /** Takes a connection back after use. */
  void giveBack(StoreConnection connection) throws SQLException;

  /** Closes a connection after a failure that may have left it in any state. */
  void discard(StoreConnection connection);

  @Override
  void close();
}
