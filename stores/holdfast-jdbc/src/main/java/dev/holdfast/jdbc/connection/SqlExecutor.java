package dev.holdfast.jdbc.connection;

import dev.holdfast.StoreException;
import dev.holdfast.jdbc.sql.ConnectionPool;
import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.jdbc.sql.Limits;
import dev.holdfast.jdbc.sql.Redaction;
import dev.holdfast.jdbc.sql.StoreConnection;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.support.Failures;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Runs work on the database in its own daemon threads, in the order of submission.
 *
 * <p>Each operation has one deadline for waiting in the queue, for its connection and for all
 * repetitions: the engine's, or the operation time-out for work that the store starts itself. What
 * certainly had no effect (busy, deadlock) is repeated until then.
 */
public final class SqlExecutor implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger(SqlExecutor.class.getName());

  private static final int MAX_PENDING = 100_000;
  private static final Duration GRACE = Duration.ofSeconds(1);
  private static final long SHORTEST_PAUSE = Duration.ofNanos(100_000).toNanos();
  private static final long LONGEST_PAUSE = Duration.ofMillis(10).toNanos();

  private static final long CONNECT_PAUSE = Duration.ofMillis(100).toNanos();

  /**
   * Verbs that may be repeated after a lost answer. A release may not: its second answer would be
   * that the claim had been gone before.
   */
  private static final Set<String> REPEATABLE =
      Set.of("join", "renewal", "inspection", "listing", "diagnosis", "poll");

  /**
   * How long to wait for a connection after its operation's deadline. By then the server has ended
   * every wait for a row, even if it checks only once a second, so the connection can be used
   * again: an abandoned one would stay at the server until it notices.
   */
  private static final int RECLAIM_MILLIS = 2 * Limits.MILLIS + 500;

  private final String url;
  private final Failures failures;
  private final Dialect dialect;
  private final ConnectionPool connections;
  private final Duration timeout;
  private final ThreadPoolExecutor threads;

  public SqlExecutor(
      String url, Dialect dialect, ConnectionPool connections, int threadCount, Duration timeout) {
    this.url = url;
    this.dialect = dialect;
    failures = new Failures(url);
    this.connections = connections;
    this.timeout = timeout;
    threads =
        new ThreadPoolExecutor(
            threadCount,
            threadCount,
            1,
            TimeUnit.MINUTES,
            new LinkedBlockingQueue<>(MAX_PENDING),
            task -> {
              Thread thread = new Thread(task, "holdfast-jdbc");
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
  }

  /**
   * Runs the work within the operation time-out; {@code verb} and {@code lock} are for messages.
   */
  public <T> CompletableFuture<T> submit(String verb, String lock, StoreConnection.Work<T> work) {
    return submit(verb, lock, Limits.deadline(timeout), work);
  }

  /**
   * Runs the work and waits. The work ends by itself at its deadline and reports best what failed;
   * the wait is a little longer only because a data source may block for ever.
   */
  public <T> T within(String verb, StoreConnection.Work<T> work) {
    try {
      return submit(verb, "", work).get(timeout.plus(GRACE).toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof StoreException known
          ? known
          : failures.noAnswer(verb, "", e.toString(), e.getCause());
    } catch (TimeoutException e) {
      throw failures.noAnswer(verb, "", "there was none within " + timeout, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failures.noAnswer(verb, "", "interrupted", e);
    }
  }

  /** Runs the work, until the deadline at the latest. */
  public <T> CompletableFuture<T> submit(
      String verb, String lock, Deadline deadline, StoreConnection.Work<T> work) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    if (!offer(() -> run(verb, lock, deadline, work, answer))) {
      answer.completeExceptionally(refusal(lock));
    }
    return answer;
  }

  /** Has one of the threads run a task; returns false if it is refused. */
  boolean offer(Runnable task) {
    try {
      threads.execute(task);
      return true;
    } catch (RejectedExecutionException refused) {
      return false;
    }
  }

  /** Returns why a task was refused. */
  StoreException refusal(String lock) {
    String why = threads.isShutdown() ? " is closed" : " has too many operations under way";
    return new StoreException(lock, url + why);
  }

  /** Waits for submitted work, at most one operation time-out; then closes the connections. */
  @Override
  public void close() {
    try {
      threads.execute(connections::close);
    } catch (RejectedExecutionException closedBefore) {
      return;
    }
    threads.shutdown();
    try {
      threads.awaitTermination(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Runs the work in this thread, which is one of those of the executor. */
  <T> void run(
      String verb,
      String lock,
      Deadline deadline,
      StoreConnection.Work<T> work,
      CompletableFuture<T> answer) {
    try {
      answer.complete(repeat(verb, lock, deadline, work));
    } catch (StoreException known) {
      answer.completeExceptionally(known);
    } catch (SQLException e) {
      answer.completeExceptionally(
          failures.noAnswer(verb, lock, Redaction.text(dialect.explain(e)), Redaction.of(e)));
    } catch (RuntimeException | Error e) {
      answer.completeExceptionally(failures.noAnswer(verb, lock, e.toString(), e));
    }
  }

  private <T> T repeat(String verb, String lock, Deadline deadline, StoreConnection.Work<T> work)
      throws SQLException {
    if (deadline.isOver()) {
      throw failures.noAnswer(
          verb, lock, "still queued behind other operations at its deadline", null);
    }
    long start = System.nanoTime();
    SQLException last = null;
    while (true) {
      try {
        return attempt(verb, lock, deadline, last, work);
      } catch (SQLException e) {
        if (!dialect.isRetryable(e) || deadline.isOver()) {
          throw e;
        }
        last = e;
      }
      LockSupport.parkNanos(Math.min(deadline.remainingNanos(), pause(System.nanoTime() - start)));
      if (deadline.isOver()) {
        throw last;
      }
    }
  }

  // As long as the wait so far, within limits; random, so that two operations that collided do not
  // collide again.
  private static long pause(long waited) {
    long pause = Math.max(SHORTEST_PAUSE, Math.min(waited, LONGEST_PAUSE));
    return pause / 2 + ThreadLocalRandom.current().nextLong(pause);
  }

  private <T> T attempt(
      String verb,
      String lock,
      Deadline deadline,
      @Nullable SQLException last,
      StoreConnection.Work<T> work)
      throws SQLException {
    StoreConnection connection = take(deadline);
    T result;
    try {
      long nanos = deadline.remainingNanos();
      if (nanos <= 0 && last != null) {
        throw last; // why there is no time left
      }
      if (nanos <= 0) {
        throw failures.noAnswer(verb, lock, "no connection before its deadline", null);
      }
      connection.limit(patience(deadline));
      result = work.run(connection);
    } catch (SQLException e) {
      if (dialect.isRetryable(e)) {
        giveBackOrDiscard(connection, e);
        throw e;
      }
      connections.discard(connection);
      if (connection.wasKept() && dialect.isConnectionLost(e) && REPEATABLE.contains(verb)) {
        // Most likely it broke while it was idle. The next one is new.
        return attempt(verb, lock, deadline, last, work);
      }
      throw e;
    } catch (StoreException refused) {
      connections.giveBack(connection);
      throw refused;
    } catch (RuntimeException | Error e) {
      connections.discard(connection);
      throw e;
    }
    try {
      connections.giveBack(connection);
    } catch (SQLException e) {
      // The answer is known, so the work must not be repeated.
      LOG.log(Level.DEBUG, "A connection of " + url + " could not be given back", e);
    }
    return result;
  }

  /**
   * Takes a connection; asks again if a pool has none after its own time-out, as nothing was sent.
   */
  private StoreConnection take(Deadline deadline) throws SQLException {
    while (true) {
      try {
        return connections.take(patience(deadline));
      } catch (SQLTransientConnectionException none) {
        if (deadline.isOver()) {
          throw none;
        }
        LockSupport.parkNanos(Math.min(deadline.remainingNanos(), CONNECT_PAUSE));
      }
    }
  }

  /** Returns how long to wait for an answer to an operation with this deadline. */
  private static int patience(Deadline deadline) {
    long millis = Math.max(0, deadline.remainingNanos()) / 1_000_000 + RECLAIM_MILLIS;
    return (int) Math.min(millis, Integer.MAX_VALUE);
  }

  private void giveBackOrDiscard(StoreConnection connection, SQLException failure)
      throws SQLException {
    try {
      connection.learn(failure);
    } catch (SQLException e) {
      connections.discard(connection);
      throw failure;
    }
    if (connection.isBroken()) {
      connections.discard(connection);
    } else {
      connections.giveBack(connection);
    }
  }
}
