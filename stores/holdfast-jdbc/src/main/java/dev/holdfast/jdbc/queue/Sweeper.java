package dev.holdfast.jdbc.queue;

import static java.util.Objects.requireNonNull;

import dev.holdfast.Registration;
import dev.holdfast.jdbc.connection.SqlExecutor;
import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.jdbc.sql.Schema;
import dev.holdfast.jdbc.sql.Script;
import dev.holdfast.jdbc.sql.StoreConnection;
import dev.holdfast.spi.Ticker;
import java.lang.System.Logger.Level;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Removes what is no longer used: expired claims, tombstones, rows of idle locks.
 *
 * <p>All clients of a database share the work: the client that finds a sweep due does the next
 * stretch of names, a bounded number, and records where it stopped. Nothing depends on it but
 * space.
 *
 * <p>The row of an idle lock is removed only when the clock has passed its last token by a good
 * while: the next token is at least the clock, hence still greater, even if the clock has been set
 * back a little meanwhile.
 */
public final class Sweeper implements AutoCloseable {

  private static final Duration PERIOD = Duration.ofSeconds(10);
  private static final Duration KEEP_IDLE = Duration.ofHours(1);
  public static final int STRETCH = 1_000;
  static final int MAX_SETTLED = 100;

  private static final System.Logger LOG = System.getLogger(Sweeper.class.getName());

  private final Ticker ticker;
  private final SqlExecutor executor;
  private final SlowPath slow;
  private final Dialect dialect;
  private final Duration period;
  private final String isDue;
  private final String claimSweep;
  private final String stretch;
  private final String delete;
  private final String expired;

  // Mutable state
  private volatile Registration timer = Registration.NONE;
  private volatile boolean closed;

  public Sweeper(Ticker ticker, SqlExecutor executor, SlowPath slow, Dialect dialect) {
    this(ticker, executor, slow, dialect, PERIOD, KEEP_IDLE);
  }

  /** With other times, for tests. */
  public Sweeper(
      Ticker ticker,
      SqlExecutor executor,
      SlowPath slow,
      Dialect dialect,
      Duration period,
      Duration keepIdle) {
    this.ticker = ticker;
    this.period = period;
    this.executor = executor;
    this.slow = slow;
    this.dialect = dialect;
    String now = dialect.clock();
    // In the future: the clock was set back.
    String due = "(swept_at <= %s - %d OR swept_at > %s)".formatted(now, micros(period), now);
    isDue = "SELECT swept_name FROM holdfast_schema WHERE " + due;
    claimSweep =
        "UPDATE holdfast_schema SET swept_at = %s, swept_name = ? WHERE swept_name = ? AND %s"
            .formatted(now, due);
    String idle =
        "queued = 0 AND format = %d AND (claim_id IS NULL OR expires <= %s) AND last_token < %s - %d"
            .formatted(Schema.FORMAT, now, now, micros(keepIdle));
    stretch =
        "SELECT name, CASE WHEN %s THEN 1 ELSE 0 END FROM holdfast_lock WHERE name > ? ORDER BY name LIMIT %d"
            .formatted(idle, STRETCH);
    delete = "DELETE FROM holdfast_lock WHERE name = ? AND " + idle;
    expired =
        "SELECT DISTINCT lock_name FROM holdfast_claim WHERE lock_name > ? AND lock_name <= ?"
            + " AND expires <= %s LIMIT %d".formatted(now, MAX_SETTLED);
  }

  /** Sweeps now if it is due, and then periodically. */
  public void start() {
    executor
        .submit(
            "sweep",
            "",
            connection -> {
              sweep(connection);
              return true;
            })
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                LOG.log(Level.DEBUG, "Sweeping again later", failure);
              }
              if (!closed) {
                timer = ticker.schedule(period, this::start);
              }
            });
  }

  @Override
  public void close() {
    closed = true;
    timer.close();
  }

  /** Sweeps one stretch if it is due and no other client does. */
  public void sweep(StoreConnection connection) throws SQLException {
    List<String> due = names(connection, isDue);
    if (due.isEmpty()) {
      return;
    }
    String from = due.get(0);
    List<String> names = new ArrayList<>();
    List<String> idle = new ArrayList<>();
    readStretch(connection, from, names, idle);
    String last = names.isEmpty() ? from : names.get(names.size() - 1);
    String next = names.size() < STRETCH ? "" : last;
    boolean ours =
        connection.inTransaction(
            transaction -> {
              PreparedStatement claim =
                  transaction.prepare(claimSweep, dialect.text(next), dialect.text(from));
              if (claim.executeUpdate() != 1) {
                return false;
              }
              Script deletions = new Script();
              idle.forEach(name -> deletions.add(delete, dialect.text(name)));
              deletions.runInBatches(transaction);
              return true;
            });
    if (ours) {
      for (String lock : names(connection, expired, dialect.text(from), dialect.text(last))) {
        slow.promote(connection, lock);
      }
    }
  }

  private void readStretch(
      StoreConnection connection, String from, List<String> names, List<String> idle)
      throws SQLException {
    try (ResultSet rows = connection.prepare(stretch, dialect.text(from)).executeQuery()) {
      while (rows.next()) {
        String name = requireNonNull(dialect.getText(rows, 1));
        names.add(name);
        if (rows.getInt(2) == 1) {
          idle.add(name);
        }
      }
    }
  }

  private List<String> names(StoreConnection connection, String query, @Nullable Object... values)
      throws SQLException {
    List<String> names = new ArrayList<>();
    try (ResultSet rows = connection.prepare(query, values).executeQuery()) {
      while (rows.next()) {
        names.add(requireNonNull(dialect.getText(rows, 1)));
      }
    }
    return names;
  }

  private static long micros(Duration duration) {
    return duration.toNanos() / 1_000;
  }
}
