package dev.holdfast.jdbc;

import dev.holdfast.Fence;
import dev.holdfast.Proof;
import dev.holdfast.StoreException;
import dev.holdfast.spi.FenceToken;
import dev.holdfast.spi.Tokens;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * The fence for data in a SQL database, as part of the caller's own transaction: the check and the
 * writes commit together, or not at all.
 *
 * <p>How it refuses a holder that was paused: {@link #enter} locks the fence's row until the
 * transaction ends. Whoever comes with an older token waits for that, finds the greater token, and
 * is refused; whoever came first has committed before the later holder reads. {@link #check} does
 * the same, so one of them per transaction is enough, as its first statement.
 *
 * <p>It never commits, rolls back or closes: after any exception the caller rolls back. Two round
 * trips each, and two more the first time that a lock's name is seen.
 *
 * <p>As the connection, not for several threads at once. The table is made by {@link #prepare} or
 * from the definitions in the jar ({@code fence-*.sql}).
 */
public final class JdbcFence implements Fence {

  /** Leaves alone what cannot be a token. */
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
   * The fence in the transaction that a connection is in.
   *
   * @throws IllegalArgumentException if the database is of a kind that Holdfast does not know
   */
  public static JdbcFence in(Connection transaction) {
    try {
      return new JdbcFence(transaction, Dialect.of(transaction));
    } catch (SQLException e) {
      throw new StoreException("", "The connection does not tell its database: " + e, e);
    }
  }

  /**
   * Makes the table unless it is there. Once per database; needs the right to make tables.
   *
   * @param connection not in a transaction: some engines commit when a table is made
   */
  public static void prepare(Connection connection) {
    try (Statement statement = connection.createStatement()) {
      for (String sql : Schema.statements(tables(Dialect.of(connection)))) {
        statement.execute(sql);
      }
    } catch (SQLException e) {
      if (!isThere(connection)) { // otherwise somebody else has made it meanwhile
        throw new StoreException(
            "", "The table holdfast_fence cannot be made: " + Redaction.message(e), e);
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
  public void enter(Proof proof) {
    long current;
    long raised = FenceToken.raising(proof);
    try {
      current = stand(proof.lock(), raised);
    } catch (SQLException e) {
      throw failed(proof.lock(), e);
    }
    FenceToken.refuseOlder(proof, current);
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

  /** As {@link Fence#reset}, with the caller's transaction. */
  @Override
  public void reset(String lock, long token) {
    FenceToken.forReset(lock, token);
    try {
      requireTransaction(lock);
      for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        try (PreparedStatement put = transaction.prepareStatement(PUT)) {
          put.setLong(1, token);
          dialect.setText(put, 2, lock);
          put.executeUpdate();
        }
        Long current = read(lock, dialect.forUpdate());
        if (current == null) {
          add(lock);
        } else if (current == token) {
          return;
        } // else its row appeared after the update had missed it
      }
      throw comesAndGoes(lock);
    } catch (SQLException e) {
      throw failed(lock, e);
    }
  }

  /** Raises the fence if it is lower, keeps others from it, and tells where it stands. */
  private long stand(String lock, long token) throws SQLException {
    requireTransaction(lock);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Long current = raise(lock, token);
      if (current == null) {
        add(lock);
      } else if (current >= token) {
        return current;
      } // else its row appeared after the update had missed it
    }
    throw comesAndGoes(lock);
  }

  private void requireTransaction(String lock) throws SQLException {
    if (transaction.getAutoCommit()) {
      throw new IllegalStateException(
          "the fence of '"
              + lock
              + "' must share a transaction with the writes: call setAutoCommit(false) first");
    }
  }

  private static SQLException comesAndGoes(String lock) {
    return new SQLException("the row of '" + lock + "' in holdfast_fence comes and goes");
  }

  /** Where the fence stands, or null if there is none for this lock. */
  private @Nullable Long raise(String lock, long token) throws SQLException {
    try (PreparedStatement raise = transaction.prepareStatement(RAISE + dialect.isWhole("token"))) {
      raise.setLong(1, token);
      raise.setLong(2, token);
      dialect.setText(raise, 3, lock);
      raise.executeUpdate();
    }
    return read(lock, dialect.forUpdate());
  }

  /** Where the fence stands, or null if there is none for this lock. */
  private @Nullable Long read(String lock, String forUpdate) throws SQLException {
    try (PreparedStatement read = transaction.prepareStatement(READ + forUpdate)) {
      dialect.setText(read, 1, lock);
      try (ResultSet rows = read.executeQuery()) {
        return rows.next()
            ? FenceToken.read(lock, "row '" + lock + "' of holdfast_fence", rows.getString(1))
            : null;
      }
    }
  }

  /** Somebody else may add it at the same time; a savepoint keeps the transaction alive. */
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
            ? "there is no table holdfast_fence; call JdbcFence.prepare or run %s/%s from the jar"
                .formatted(JdbcFence.class.getPackageName().replace('.', '/'), tables(dialect))
            : dialect.explain(cause);
    return new StoreException(
        lock, "The fence of '" + lock + "' did not answer (" + why + "): roll back.", cause);
  }

  private static String tables(Dialect dialect) {
    return "fence-" + dialect.tables();
  }
}
