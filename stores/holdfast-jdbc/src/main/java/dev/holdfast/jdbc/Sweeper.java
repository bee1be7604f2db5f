package dev.holdfast.jdbc;

import static java.util.Objects.requireNonNull;

import dev.holdfast.Registration;
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
 * Removes what nobody uses any more: expired claims, tombstones, rows of locks that have been idle.
 *
 * <p>All clients of a database share the work: whoever finds a sweep due does the next stretch of
 * names, a bounded number, and notes where it stopped. Nothing depends on it but space.
 *
 * <p>The row of an idle lock is removed only when the clock has passed its last token by a good
 * while: the next token is at least the clock, hence still greater, even if the clock has been set
 * back a little meanwhile.
 */
final class Sweeper implements AutoCloseable {

  private static final Duration PERIOD = Duration.ofSeconds(10);
  private static final Duration KEEP_IDLE = Duration.ofHours(1);
  static final int STRETCH = 1_000;
  static final int MAX_SETTLED = 100;

  private static final System.Logger LOG = System.getLogger(Sweeper.class.getName());

  private final Ticker ticker;
  private final SqlExecutor executor;
  private final SlowPath slow;
  private final Duration period;
  private final String isDue;
  private final String claimSweep;
  private final String stretch;
  private final String delete;
  private final String expired;

  // Mutable state
  private volatile Registration timer = Registration.NONE;
  private volatile boolean closed;

  Sweeper(Ticker ticker, SqlExecutor executor, SlowPath slow, Dialect dialect) {
    this(ticker, executor, slow, dialect, PERIOD, KEEP_IDLE);
  }

  /** With other times, for tests. */
  Sweeper(
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

  /** Sweeps now, if it is time, and from now on every now and then. */
  void start() {
    executor
        .submit(
            "sweep",
            "",
            session -> {
              sweep(session);
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

  /** Does one stretch, if it is time and nobody else does it. */
  void sweep(Session session) throws SQLException {
    String from = dueFrom(session);
    if (from == null) {
      return;
    }
    List<String> names = new ArrayList<>();
    List<String> idle = new ArrayList<>();
    readStretch(session, from, names, idle);
    String last = names.isEmpty() ? from : names.get(names.size() - 1);
    String next = names.size() < STRETCH ? "" : last;
    boolean ours =
        session.inTransaction(
            transaction -> {
              if (!claim(transaction, from, next)) {
                return false;
              }
              PreparedStatement statement = transaction.prepare(delete);
              for (String name : idle) {
                session.dialect().setText(statement, 1, name);
                statement.addBatch();
              }
              if (!idle.isEmpty()) {
                statement.executeBatch();
              }
              return true;
            });
    if (ours) {
      for (String lock : withExpired(session, from, last)) {
        slow.settle(session, lock);
      }
    }
  }

  private @Nullable String dueFrom(Session session) throws SQLException {
    try (ResultSet rows = session.prepare(isDue).executeQuery()) {
      return rows.next() ? session.dialect().getText(rows, 1) : null;
    }
  }

  private void readStretch(Session session, String from, List<String> names, List<String> idle)
      throws SQLException {
    PreparedStatement statement = session.prepare(stretch);
    session.dialect().setText(statement, 1, from);
    try (ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        String name = requireNonNull(session.dialect().getText(rows, 1));
        names.add(name);
        if (rows.getInt(2) == 1) {
          idle.add(name);
        }
      }
    }
  }

  private boolean claim(Session session, String from, String next) throws SQLException {
    PreparedStatement statement = session.prepare(claimSweep);
    session.dialect().setText(statement, 1, next);
    session.dialect().setText(statement, 2, from);
    return statement.executeUpdate() == 1;
  }

  private List<String> withExpired(Session session, String from, String last) throws SQLException {
    PreparedStatement statement = session.prepare(expired);
    session.dialect().setText(statement, 1, from);
    session.dialect().setText(statement, 2, last);
    List<String> result = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        result.add(requireNonNull(session.dialect().getText(rows, 1)));
      }
    }
    return result;
  }

  private static long micros(Duration duration) {
    return duration.toNanos() / 1_000;
  }
}
