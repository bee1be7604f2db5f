package dev.holdfast.jdbc;

import dev.holdfast.StoreException;
import dev.holdfast.spi.Deadline;
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
 * Runs work on the database in daemon threads of its own, in the order in which it is handed over.
 *
 * <p>Each operation has one deadline for waiting its turn, for its connection and for every
 * repetition: the engine's, or one of its own for what the store does by itself. What surely had no
 * effect (busy, deadlock) is repeated until then.
 */
final class SqlExecutor implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger(SqlExecutor.class.getName());

  private static final int MAX_PENDING = 100_000;
  private static final Duration GRACE = Duration.ofSeconds(1);
  private static final long SHORTEST_PAUSE = Duration.ofNanos(100_000).toNanos();
  private static final long LONGEST_PAUSE = Duration.ofMillis(10).toNanos();

  /**
   * What may be asked again when the answer was lost, at no loss of truth. A release may not: the
   * second answer would be that the claim had been gone before.
   */
  private static final Set<String> REPEATABLE =
      Set.of("join", "renewal", "inspection", "listing", "diagnosis", "poll");

  private final String url;
  private final Dialect dialect;
  private final Connections connections;
  private final Duration timeout;
  private final ThreadPoolExecutor threads;

  SqlExecutor(
      String url, Dialect dialect, Connections connections, int threadCount, Duration timeout) {
    this.url = url;
    this.dialect = dialect;
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

  /** Runs the work within an operation's time; {@code verb} and {@code lock} are for messages. */
  <T> CompletableFuture<T> submit(String verb, String lock, Session.Work<T> work) {
    return submit(verb, lock, Limits.deadline(timeout), work);
  }

  /**
   * Runs the work and waits. The work knows its own end, and best why it did not come to one; it is
   * waited for a little longer than that only because a data source may keep it for ever.
   */
  <T> T within(String verb, Session.Work<T> work) {
    try {
      return submit(verb, "", work).get(timeout.plus(GRACE).toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof StoreException known
          ? known
          : unknown(verb, "", e.toString(), e.getCause());
    } catch (TimeoutException e) {
      throw unknown(verb, "", "there was none within " + timeout, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw unknown(verb, "", "interrupted", e);
    }
  }

  /** Runs the work, until the deadline at the latest. */
  <T> CompletableFuture<T> submit(
      String verb, String lock, Deadline deadline, Session.Work<T> work) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    try {
      threads.execute(() -> run(verb, lock, deadline, work, answer));
    } catch (RejectedExecutionException rejected) {
      String why = threads.isShutdown() ? " is closed" : " has too many operations under way";
      answer.completeExceptionally(new StoreException(lock, url + why, rejected));
    }
    return answer;
  }

  /** Lets what was handed over end, for at most one operation's time; then closes connections. */
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

  private <T> void run(
      String verb,
      String lock,
      Deadline deadline,
      Session.Work<T> work,
      CompletableFuture<T> answer) {
    try {
      answer.complete(repeat(verb, lock, deadline, work));
    } catch (StoreException known) {
      answer.completeExceptionally(known);
    } catch (SQLException e) {
      answer.completeExceptionally(
          unknown(verb, lock, Redaction.text(dialect.explain(e)), Redaction.of(e)));
    } catch (RuntimeException | Error e) {
      answer.completeExceptionally(unknown(verb, lock, e.toString(), e));
    }
  }

  private <T> T repeat(String verb, String lock, Deadline deadline, Session.Work<T> work)
      throws SQLException {
    if (deadline.isOver()) {
      throw unknown(verb, lock, "still queued behind other operations at its deadline", null);
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

  // As long as it has waited already, within limits; random, so that two who collided do not
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
      Session.Work<T> work)
      throws SQLException {
    Session session = take(deadline);
    T result;
    try {
      long nanos = deadline.remainingNanos();
      if (nanos <= 0 && last != null) {
        throw last; // why there is no time left
      }
      if (nanos <= 0) {
        throw unknown(verb, lock, "no connection before its deadline", null);
      }
      session.limit(Limits.millis(deadline));
      result = work.run(session);
    } catch (SQLException e) {
      if (dialect.isRetryable(e)) {
        giveBackOrDiscard(session, e);
        throw e;
      }
      connections.discard(session);
      if (session.wasKept() && dialect.isConnectionLost(e) && REPEATABLE.contains(verb)) {
        // It broke while nobody used it, most likely. The next one is new.
        return attempt(verb, lock, deadline, last, work);
      }
      throw e;
    } catch (StoreException refused) {
      connections.giveBack(session);
      throw refused;
    } catch (RuntimeException | Error e) {
      connections.discard(session);
      throw e;
    }
    try {
      connections.giveBack(session);
    } catch (SQLException e) {
      // The answer is known: it must not be asked for again.
      LOG.log(Level.DEBUG, "A connection of " + url + " could not be given back", e);
    }
    return result;
  }

  /** A pool that has none after its own time-out has sent nothing: it is asked again. */
  private Session take(Deadline deadline) throws SQLException {
    while (true) {
      try {
        return connections.take(Limits.millis(deadline));
      } catch (SQLTransientConnectionException none) {
        if (deadline.isOver()) {
          throw none;
        }
        LockSupport.parkNanos(LONGEST_PAUSE);
      }
    }
  }

  private void giveBackOrDiscard(Session session, SQLException failure) throws SQLException {
    try {
      session.learn(failure);
    } catch (SQLException e) {
      connections.discard(session);
      throw failure;
    }
    if (session.isBroken()) {
      connections.discard(session);
    } else {
      connections.giveBack(session);
    }
  }

  private StoreException unknown(String verb, String lock, String why, @Nullable Throwable cause) {
    String what = lock.isEmpty() ? verb : verb + " of '" + lock + "'";
    String message =
        "No answer from "
            + url
            + " to the "
            + what
            + ": "
            + why
            + "; it may or may not have taken effect.";
    return cause == null
        ? new StoreException(lock, message)
        : new StoreException(lock, message, cause);
  }
}
