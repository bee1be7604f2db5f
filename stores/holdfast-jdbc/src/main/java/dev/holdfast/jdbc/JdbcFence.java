package dev.holdfast.jdbc;

import dev.holdfast.FenceToken;
import dev.holdfast.Proof;
import dev.holdfast.StoreException;
import dev.holdfast.jdbc.dialect.Dialects;
import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.jdbc.sql.Redaction;
import dev.holdfast.jdbc.sql.Schema;
import dev.holdfast.spi.Tokens;
import dev.holdfast.spi.support.StoredFence;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The fence for data in a SQL database, as part of the caller's transaction: the check and the
 * writes commit together, or not at all.
 *
 * <p>How it refuses a holder that was paused: {@link #enter} locks the fence's row until the
 * transaction ends. A holder with an older token waits for that, finds the greater token, and is
 * refused; if it was first, it has committed before the later holder reads. {@link #check} does the
 * same, so one of them per transaction is enough, as its first statement.
 *
 * <p>It never commits, rolls back or closes: after any exception the caller rolls back. Two round
 * trips each, and two more for the first use of a lock's name.
 *
 * <p>Like the connection, for one thread at a time. The table is created by {@link #prepare} or
 * from the definitions in the jar ({@code fence-*.sql}).
 */
public final class JdbcFence extends StoredFence {

  /** Changes only valid tokens. */
  private static final String RAISE =
      "UPDATE holdfast_fence SET token = CASE WHEN token < ? THEN ? ELSE token END WHERE name = ?"
          + " AND token BETWEEN 0 AND "
          + Tokens.MAX
          + " AND ";

  /** After the update, whose row lock it shares; see {@link Dialect#forUpdate}. */
  private static final String READ = "SELECT token FROM holdfast_fence WHERE name = ?";

  private static final String PUT = "UPDATE holdfast_fence SET token = ? WHERE name = ?";

  private static final String ADD = "INSERT INTO holdfast_fence (name, token) VALUES (?, ?)";

  /** One that finds no row, one that finds a new one, one that raises it. */
  private static final int ATTEMPTS = 3;

  private final Connection transaction;
  private final Dialect dialect;

  private JdbcFence(Connection transaction, Dialect dialect) {
    this.transaction = transaction;
    this.dialect = dialect;
  }

  /**
   * The fence in the transaction of a connection.
   *
   * @throws IllegalArgumentException if the database is not supported
   */
  public static JdbcFence in(Connection transaction) {
    try {
      return new JdbcFence(transaction, Dialects.of(transaction));
    } catch (SQLException e) {
      throw new StoreException("", "The connection does not report its database: " + e, e);
    }
  }

  /**
   * Creates the table unless it exists. Once per database; needs the right to create tables.
   *
   * @param connection not in a transaction: some databases commit when a table is created
   */
  public static void prepare(Connection connection) {
    try (Statement statement = connection.createStatement()) {
      for (String sql : Schema.statements(tables(Dialects.of(connection)))) {
        statement.execute(sql);
      }
    } catch (SQLException e) {
      if (!isThere(connection)) { // otherwise another client has created it meanwhile
        throw new StoreException(
            "", "The table holdfast_fence cannot be created: " + Redaction.message(e), e);
      }
    }
  }

  private static boolean isThere(Connection connection) {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SELECT 1 FROM holdfast_fence WHERE 1 = 0");
      return true;
    } catch (SQLException missing) {
      return false;
    }
  }

  @Override
  public void check(Proof proof) {
    enter(proof);
  }

  @Override
  public long current(String lock) {
    try {
      Long current = read(lock, "");
      return current == null ? FenceToken.NONE : current;
    } catch (SQLException e) {
      throw failed(lock, e);
    }
  }

  @Override
  protected void put(String lock, long token) {
    update(lock, token, PUT, 1, current -> current == token);
  }

  /** Locks the row, too. */
  @Override
  protected long raise(String lock, long token) {
    return update(lock, token, RAISE + dialect.isWhole("token"), 2, current -> current >= token);
  }

  @Override
  protected String place(String lock) {
    return row(lock);
  }

  static String row(String lock) {
    return "row '" + lock + "' of holdfast_fence";
  }

  /**
   * Updates the row, which it adds if need be, and locks it.
   *
   * @param times how often the token is in the statement, before the name
   * @return where the fence stands
   */
  private long update(String lock, long token, String sql, int times, LongPredicate done) {
    try {
      requireTransaction(lock);
      for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        try (PreparedStatement update = transaction.prepareStatement(sql)) {
          for (int i = 1; i <= times; i++) {
            update.setLong(i, token);
          }
          dialect.setText(update, times + 1, lock);
          update.executeUpdate();
        }
        Long current = read(lock, dialect.forUpdate());
        if (current == null) {
          add(lock);
        } else if (done.test(current)) {
          return current;
        } // else its row appeared after the update had missed it
      }
      throw new SQLException(place(lock) + " appears and disappears");
    } catch (SQLException e) {
      throw failed(lock, e);
    }
  }

  private void requireTransaction(String lock) throws SQLException {
    if (transaction.getAutoCommit()) {
      throw new IllegalStateException(
          "the fence of '"
              + lock
              + "' must share a transaction with the writes: call setAutoCommit(false) first");
    }
  }

  /** Where the fence stands, or null if there is none for this lock. */
  private @Nullable Long read(String lock, String forUpdate) throws SQLException {
    try (PreparedStatement read = transaction.prepareStatement(READ + forUpdate)) {
      dialect.setText(read, 1, lock);
      try (ResultSet rows = read.executeQuery()) {
        return rows.next() ? token(lock, rows.getString(1)) : null;
      }
    }
  }

  /**
   * Adds the fence; another client may do so at the same time, and a savepoint keeps the
   * transaction alive.
   */
  private void add(String lock) throws SQLException {
    Savepoint before = transaction.setSavepoint();
    try (PreparedStatement add = transaction.prepareStatement(ADD)) {
      dialect.setText(add, 1, lock);
      add.setLong(2, 0);
      add.executeUpdate();
      transaction.releaseSavepoint(before);
    } catch (SQLException e) {
      if (!String.valueOf(e.getSQLState()).startsWith("23")) { // a broken constraint
        throw e;
      }
      transaction.rollback(before);
    }
  }

  private StoreException failed(String lock, SQLException cause) {
    String why =
        dialect.isMissingTable(cause)
            ? "there is no table holdfast_fence; call JdbcFence.prepare or run %s%s from the jar"
                .formatted(Schema.RESOURCES.substring(1), tables(dialect))
            : dialect.explain(cause);
    return new StoreException(
        lock, "The fence of '" + lock + "' did not answer (" + why + "): roll back.", cause);
  }

  private static String tables(Dialect dialect) {
    return "fence-" + dialect.tables();
  }
}
