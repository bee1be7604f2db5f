package dev.holdfast.jdbc.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A connection with its prepared statements. Used by one thread at a time.
 *
 * <p>Outside {@link #inTransaction} every statement is a separate transaction.
 */
public final class StoreConnection implements AutoCloseable {

  /** Work on a connection. */
  @FunctionalInterface
  public interface Work<T> {
    T run(StoreConnection connection) throws SQLException;
  }

  private final Connection connection;
  private final Dialect dialect;
  private final boolean takesScripts;
  private final long opened = System.nanoTime();

  // Mutable state
  private final Map<String, PreparedStatement> statements = new HashMap<>();
  private final Set<PreparedStatement> used = new HashSet<>();
  private Dialect.Restore restore = () -> {};
  private boolean kept;
  private long lastUsed = opened;
  private boolean broken;
  private String how = ""; // goes before each text that is prepared

  public StoreConnection(Connection connection, Dialect dialect) {
    this(connection, dialect, false);
  }

  /**
   * A connection.
   *
   * @param takesScripts whether several statements may be sent together
   */
  public StoreConnection(Connection connection, Dialect dialect, boolean takesScripts) {
    this.connection = connection;
    this.dialect = dialect;
    this.takesScripts = takesScripts;
  }

  /**
   * The statement for this text, prepared once, with these values for its parameters. The texts of
   * this store are a bounded set.
   */
  public PreparedStatement prepare(String sql, @Nullable Object... values) throws SQLException {
    return prepared(how, sql, Statement.NO_GENERATED_KEYS, values);
  }

  /** As {@link #prepare}, for a statement that returns its result as a generated key. */
  public PreparedStatement prepareReturningKey(String sql, @Nullable Object... values)
      throws SQLException {
    return prepared(how, sql, Statement.RETURN_GENERATED_KEYS, values);
  }

  /** As {@link #prepare}, for several statements, which no server prepares as one. */
  PreparedStatement prepareScript(String sql) throws SQLException {
    return prepared(dialect.asText(), sql, Statement.NO_GENERATED_KEYS);
  }

  private PreparedStatement prepared(
      String prefix, String sql, int keys, @Nullable Object... values) throws SQLException {
    PreparedStatement known = statements.get(sql);
    if (known == null) {
      known = connection.prepareStatement(prefix + sql, keys);
      statements.put(sql, known);
    }
    used.add(known);
    bind(known, 0, values);
    return known;
  }

  /**
   * Binds values: whole numbers, text, bytes or null.
   *
   * @param before how many parameters precede theirs
   */
  public static void bind(PreparedStatement statement, int before, @Nullable Object... values)
      throws SQLException {
    int index = before;
    for (Object value : values) {
      index++;
      if (value instanceof Long number) {
        statement.setLong(index, number);
      } else if (value instanceof Integer number) {
        statement.setInt(index, number);
      } else if (value instanceof byte[] bytes) {
        statement.setBytes(index, bytes);
      } else {
        statement.setString(index, (String) value);
      }
    }
  }

  public void run(String sql) throws SQLException {
    prepare(sql).execute();
  }

  // As text, there is nothing to parse, and a server without room for one more prepared statement
  // still ends the transaction.
  private void run(List<String> texts) throws SQLException {
    for (String text : texts) {
      run(dialect.asText() + text);
    }
  }

  /**
   * Changes how statements are prepared, if need be, before work that failed without effect is
   * repeated.
   */
  public void learn(SQLException failure) throws SQLException {
    String other = dialect.otherwise(failure);
    if (other != null) {
      close();
      how = other;
    }
  }

  /**
   * Runs work in one transaction. Others cannot change what it has read for update until it ends.
   */
  public <T> T inTransaction(Work<T> work) throws SQLException {
    run(dialect.beginning());
    return orRollback(
        transaction -> {
          T result = work.run(this);
          run(dialect.ending("COMMIT"));
          return result;
        });
  }

  /**
   * As {@link #inTransaction}, for work that begins and commits the transaction itself, by scripts.
   */
  public <T> T orRollback(Work<T> work) throws SQLException {
    try {
      return work.run(this);
    } catch (SQLException | RuntimeException | Error failure) {
      try {
        run(dialect.ending("ROLLBACK"));
        close(); // statements may hold part of a batch, which must not run next time
      } catch (SQLException alsoFailed) {
        broken = true;
        failure.addSuppressed(alsoFailed);
      }
      throw failure;
    }
  }

  /** Returns whether it may still be in a transaction, or hold part of one. */
  public boolean isBroken() {
    return broken;
  }

  public boolean takesScripts() {
    return takesScripts;
  }

  /** Returns whether a connection accepts a script: drivers and proxies differ. */
  public static boolean takes(Connection connection, String script) throws SQLException {
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

  /** Ends an operation: names and claim ids must not stay in the statements that it used. */
  public void forget() throws SQLException {
    for (PreparedStatement statement : used) {
      statement.clearParameters();
    }
    used.clear();
    kept = true;
    lastUsed = System.nanoTime();
  }

  /** Closes the statements; the connection belongs to its pool. */
  @Override
  public void close() throws SQLException {
    for (PreparedStatement statement : statements.values()) {
      statement.close();
    }
    statements.clear();
    used.clear();
  }

  /** Prepares the connection for work: see {@link Dialect#prepare}. */
  public void setUp(int millis) throws SQLException {
    restore = dialect.prepare(connection, millis);
  }

  /** Restores the settings that it had before. */
  public void restore() throws SQLException {
    restore.run();
  }

  /** Returns when it was opened, by {@link System#nanoTime}. */
  public long opened() {
    return opened;
  }

  /** Returns when the last operation on it ended, by {@link System#nanoTime}. */
  public long lastUsed() {
    return lastUsed;
  }

  /** Returns whether an earlier operation used it: it may have broken since, unnoticed. */
  public boolean wasKept() {
    return kept;
  }

  /** Sets the longest wait for an answer of the server. */
  public void limit(int millis) throws SQLException {
    dialect.limit(connection, millis);
  }

  public Dialect dialect() {
    return dialect;
  }

  public Connection jdbc() {
    return connection;
  }

  /** Returns the longest wait for an answer; a negative number if the driver has none. */
  static int networkTimeout(Connection connection) throws SQLException {
    try {
      return connection.getNetworkTimeout();
    } catch (SQLFeatureNotSupportedException none) {
      return -1;
    }
  }

  static void networkTimeout(Connection connection, int millis) throws SQLException {
    try {
      connection.setNetworkTimeout(Runnable::run, millis);
    } catch (SQLFeatureNotSupportedException stays) {
      // Then only the engine's own timer ends the wait.
    }
  }
}
