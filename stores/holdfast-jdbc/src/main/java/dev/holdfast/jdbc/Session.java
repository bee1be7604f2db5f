package dev.holdfast.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * A connection with its prepared statements. Used by one thread at a time.
 *
 * <p>Outside {@link #inTransaction} every statement is a transaction of its own.
 */
final class Session implements AutoCloseable {

  /** A piece of work on a session. */
  @FunctionalInterface
  interface Work<T> {
    T run(Session session) throws SQLException;
  }

  private final Connection connection;
  private final Dialect dialect;
  private final boolean takesScripts;

  // Mutable state
  private final Map<String, PreparedStatement> statements = new HashMap<>();
  private final Set<PreparedStatement> used = new HashSet<>();
  private boolean kept;
  private long lastUsed = System.nanoTime();
  private boolean broken;
  private String how = ""; // goes before each text that is prepared

  Session(Connection connection, Dialect dialect) {
    this(connection, dialect, false);
  }

  /**
   * A session.
   *
   * @param takesScripts whether several statements may be sent together
   */
  Session(Connection connection, Dialect dialect, boolean takesScripts) {
    this.connection = connection;
    this.dialect = dialect;
    this.takesScripts = takesScripts;
  }

  /** The statement for this text, prepared once. The texts of this package are a bounded set. */
  PreparedStatement prepare(String sql) throws SQLException {
    PreparedStatement known = statements.get(sql);
    if (known == null) {
      known = connection.prepareStatement(how + sql);
      statements.put(sql, known);
    }
    used.add(known);
    return known;
  }

  /** As {@link #prepare}, for a statement that answers by the key that it generates. */
  PreparedStatement prepareReturningKey(String sql) throws SQLException {
    PreparedStatement known = statements.get(sql);
    if (known == null) {
      known = connection.prepareStatement(how + sql, Statement.RETURN_GENERATED_KEYS);
      statements.put(sql, known);
    }
    used.add(known);
    return known;
  }

  /** As {@link #prepare}, for several statements, which no server prepares as one. */
  PreparedStatement prepareScript(String sql) throws SQLException {
    PreparedStatement known = statements.get(sql);
    if (known == null) {
      known = connection.prepareStatement(dialect.asText() + sql);
      statements.put(sql, known);
    }
    used.add(known);
    return known;
  }

  void run(String sql) throws SQLException {
    prepare(sql).execute();
  }

  /** Before work that failed and surely did nothing is tried again on this session. */
  void learn(SQLException failure) throws SQLException {
    String other = dialect.otherwise(failure);
    if (other != null) {
      close();
      how = other;
    }
  }

  /** All or nothing. Nobody else changes what the work has read for update until it ends. */
  <T> T inTransaction(Work<T> work) throws SQLException {
    dialect.begin(this);
    return orRollback(
        transaction -> {
          T result = work.run(this);
          dialect.commit(this);
          return result;
        });
  }

  /**
   * As {@link #inTransaction}, for work that begins and commits the transaction itself, each with a
   * script of its own.
   */
  <T> T orRollback(Work<T> work) throws SQLException {
    try {
      return work.run(this);
    } catch (SQLException | RuntimeException | Error failure) {
      try {
        dialect.rollback(this);
        close(); // statements may hold part of a batch, which must not run next time
      } catch (SQLException alsoFailed) {
        broken = true;
        failure.addSuppressed(alsoFailed);
      }
      throw failure;
    }
  }

  /** Whether it may still be in a transaction, or have a part of one to send. */
  boolean isBroken() {
    return broken;
  }

  boolean takesScripts() {
    return takesScripts;
  }

  /** Ends an operation: its names and claim ids must not stay in the statements it used. */
  void forget() throws SQLException {
    for (PreparedStatement statement : used) {
      statement.clearParameters();
    }
    used.clear();
    kept = true;
    lastUsed = System.nanoTime();
  }

  /** Closes the statements; the connection is its provider's. */
  @Override
  public void close() throws SQLException {
    for (PreparedStatement statement : statements.values()) {
      statement.close();
    }
    statements.clear();
    used.clear();
  }

  /** When the last operation ended on it, by {@link System#nanoTime}. */
  long lastUsed() {
    return lastUsed;
  }

  /** Whether it was used by an operation before: it may have broken since, unnoticed. */
  boolean wasKept() {
    return kept;
  }

  /** Lets no answer of the server be waited for longer than this. */
  void limit(int millis) throws SQLException {
    dialect.limit(connection, millis);
  }

  Dialect dialect() {
    return dialect;
  }

  Connection connection() {
    return connection;
  }
}
