package dev.holdfast.jdbc;

import dev.holdfast.Consistency;
import dev.holdfast.StoreException;
import dev.holdfast.Traits;
import dev.holdfast.spi.Tokens;
import dev.holdfast.spi.support.StoreUrl;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What database servers have in common. They order changes by row locks, keep time in microseconds,
 * and name their errors by the states of the SQL standard, more or less.
 */
abstract class ServerDialect implements Dialect {

  private static final int CONNECTIONS = 64;

  @Override
  public void check(DatabaseMetaData about) throws SQLException {
    int major = about.getDatabaseMajorVersion();
    int minor = about.getDatabaseMinorVersion();
    if (major < oldestMajor() || (major == oldestMajor() && minor < oldestMinor())) {
      throw new StoreException(
          "",
          "Cannot use %s: %s %d.%d is too old; Holdfast needs %d.%d or newer."
              .formatted(
                  StoreUrl.redact(about.getURL()),
                  product(),
                  major,
                  minor,
                  oldestMajor(),
                  oldestMinor()));
    }
  }

  /** The oldest version that has what the statements need. */
  abstract int oldestMajor();

  abstract int oldestMinor();

  @Override
  public Traits.Builder traits(String url) {
    return common().durable().spansProcesses();
  }

  /** Fail-over may lose the last commits, unless the user knows better. */
  static Traits.Builder common() {
    return Traits.builder()
        .floors(Tokens.MAX_FLOOR)
        .fair()
        .ttl(Duration.ofMillis(100), Duration.ofDays(365))
        .ttlResolution(Duration.ofMillis(1))
        .expiryLag(Duration.ofMillis(2))
        .allKinds()
        .lingers()
        .detachable()
        .consistency(Consistency.BEST_EFFORT);
  }

  @Override
  public int connections() {
    return CONNECTIONS;
  }

  @Override
  public long clockStep() {
    return 1;
  }

  @Override
  public String forUpdate() {
    return " FOR UPDATE";
  }

  @Override
  public boolean isRetryable(SQLException failure) {
    // A lock's row that somebody else made first is there when we come again.
    return isState(failure, "40001") || isState(failure, "23505");
  }

  @Override
  public boolean isConnectionLost(SQLException failure) {
    String state = String.valueOf(rootOf(failure).getSQLState());
    return state.startsWith("08") // connection
        || state.startsWith("57P0"); // PostgreSQL shuts down
  }

  @Override
  public boolean isMissingTable(SQLException failure) {
    return isState(failure, "42S02");
  }

  @Override
  public String explain(SQLException failure) {
    SQLException first = rootOf(failure);
    String state = String.valueOf(first.getSQLState());
    if (state.startsWith("28")) {
      return "it refuses this user or password";
    }
    return switch (state) {
      case "25006" -> "it is read-only, perhaps a standby: " + first.getMessage();
      case "42501" -> "this user lacks a right: " + first.getMessage();
      default ->
          first instanceof SQLTransientConnectionException
                  || first instanceof SQLRecoverableException
              ? "no connection: " + first.getMessage()
              : String.valueOf(first.getMessage());
    };
  }

  @Override
  public Restore prepare(Connection connection, int millis) throws SQLException {
    int timeout = networkTimeout(connection);
    limit(connection, millis);
    boolean autoCommit = connection.getAutoCommit();
    if (!autoCommit) {
      connection.setAutoCommit(true);
    }
    return () -> {
      if (!autoCommit) {
        connection.setAutoCommit(false);
      }
      if (timeout >= 0) {
        connection.setNetworkTimeout(Runnable::run, timeout);
      }
    };
  }

  @Override
  public void limit(Connection connection, int millis) throws SQLException {
    try {
      connection.setNetworkTimeout(Runnable::run, millis);
    } catch (SQLFeatureNotSupportedException stays) {
      // Then only the engine's own timer ends the wait.
    }
  }

  /** Whether this failure, or the one that a pool wrapped into it, has this state. */
  static boolean isState(SQLException failure, String state) {
    return state.equals(rootOf(failure).getSQLState());
  }

  /** The failure that a pool may have wrapped into others. */
  static SQLException rootOf(SQLException failure) {
    SQLException found = failure;
    Throwable cause = failure;
    for (int depth = 0; depth < 10 && cause != null; depth++, cause = cause.getCause()) {
      if (cause instanceof SQLException inner && inner.getSQLState() != null) {
        found = inner;
      }
    }
    return found;
  }

  /** For engines that keep text as the bytes of UTF-8. */
  static void setBytes(PreparedStatement statement, int index, @Nullable String text)
      throws SQLException {
    statement.setBytes(index, text == null ? null : text.getBytes(StandardCharsets.UTF_8));
  }

  /** Reads what {@link #setBytes} bound. */
  static @Nullable String getBytes(ResultSet rows, int index) throws SQLException {
    byte[] bytes = rows.getBytes(index);
    return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
  }

  private static int networkTimeout(Connection connection) throws SQLException {
    try {
      return connection.getNetworkTimeout();
    } catch (SQLFeatureNotSupportedException none) {
      return -1;
    }
  }

  /** Whether a connection takes a script: drivers and what stands before them differ. */
  static boolean takes(Connection connection, String script) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(script)) {
      statement.execute();
      return true;
    } catch (SQLException refused) {
      if (!connection.isValid(1)) {
        throw refused;
      }
      return false;
    }
  }
}
