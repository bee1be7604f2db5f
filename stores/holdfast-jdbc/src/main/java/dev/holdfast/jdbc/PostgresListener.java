package dev.holdfast.jdbc;

import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Hears when claims of this client are let in: one connection and one thread, from the first claim
 * that waits until the client is closed.
 *
 * <p>A proxy that shares connections swallows notifications without a word. So it first sends one
 * to itself over another connection; if that does not arrive, it never listens again and says so
 * once. A connection that breaks is made anew. What is missed meanwhile the {@link Poller} finds,
 * which polls fast whenever this does not listen.
 *
 * <p>Safe for any threads.
 */
final class PostgresListener implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger(PostgresListener.class.getName());

  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);
  private static final Duration QUIET = Duration.ofMillis(500);
  private static final int QUIET_TIMES = 60;

  /** No lock has this name: names are not empty. */
  private static final String TEST = "";

  private final String channel;
  private final DataSource source;
  private final SqlExecutor executor;
  private final Duration testTimeout;
  private final Consumer<String> heard;
  private final Runnable changed;
  private final AtomicBoolean started = new AtomicBoolean();
  private final CountDownLatch closed = new CountDownLatch(1);

  // Mutable state
  private volatile boolean listening;

  /**
   * A listener that does nothing yet.
   *
   * @param executor has connections of other sessions, for the test
   * @param heard is told the lock of which a claim was let in
   * @param changed is told whenever it begins or ceases to listen: something may have been missed
   */
  PostgresListener(
      String channel,
      DataSource source,
      SqlExecutor executor,
      Duration testTimeout,
      Consumer<String> heard,
      Runnable changed) {
    this.channel = channel;
    this.source = source;
    this.executor = executor;
    this.testTimeout = testTimeout;
    this.heard = heard;
    this.changed = changed;
  }

  /** Whether notifications arrive, as far as is known. */
  boolean isListening() {
    return listening;
  }

  /** Begins to listen soon, the first time. */
  void start() {
    if (closed.getCount() > 0 && started.compareAndSet(false, true)) {
      Thread thread = new Thread(this::run, "holdfast-jdbc-listener");
      thread.setDaemon(true);
      thread.start();
    }
  }

  @Override
  public void close() {
    closed.countDown(); // the thread sees it soon
  }

  private void run() {
    Duration pause = FIRST_PAUSE;
    boolean arrives = true;
    while (arrives && !pausedUntilClosed(Duration.ZERO)) {
      try (Connection opened = source.getConnection()) {
        arrives = listen(opened);
      } catch (SQLException | RuntimeException e) {
        LOG.log(Level.DEBUG, "Listening again in " + pause, e);
      }
      if (listening) {
        listening = false;
        pause = FIRST_PAUSE;
        changed.run();
      }
      if (arrives && pausedUntilClosed(pause)) {
        return;
      }
      pause =
          pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0
              ? pause.multipliedBy(2)
              : LONGEST_PAUSE;
    }
  }

  /** Listens until closed; false if notifications do not arrive. */
  private boolean listen(Connection opened) throws SQLException {
    PGConnection postgres = opened.unwrap(PGConnection.class);
    boolean autoCommit = opened.getAutoCommit();
    opened.setAutoCommit(true);
    try (Statement statement = opened.createStatement()) {
      statement.execute("LISTEN " + channel);
      boolean arrives = arrives(postgres);
      if (arrives) {
        listening = true;
        changed.run();
        hear(opened, postgres);
      } else {
        LOG.log(
            Level.INFO,
            "Notifications do not arrive, perhaps for a proxy that shares connections:"
                + " polling instead");
      }
      statement.execute("UNLISTEN " + channel);
      opened.setAutoCommit(autoCommit);
      return arrives;
    }
  }

  private void hear(Connection opened, PGConnection postgres) throws SQLException {
    int quiet = 0;
    while (!pausedUntilClosed(Duration.ZERO)) {
      quiet = tell(postgres.getNotifications((int) QUIET.toMillis())) ? 0 : quiet + 1;
      if (quiet == QUIET_TIMES) {
        quiet = 0;
        if (!opened.isValid((int) testTimeout.toSeconds() + 1)) {
          throw new SQLException("the connection has died");
        }
      }
    }
  }

  private boolean arrives(PGConnection postgres) throws SQLException {
    long deadline = System.nanoTime() + testTimeout.toNanos();
    CompletableFuture<Boolean> sent =
        executor.submit(
            "test of notifications",
            "",
            session -> {
              PreparedStatement statement = session.prepare(PostgresDialect.NOTIFY);
              statement.setString(1, channel);
              statement.setString(2, TEST);
              return statement.execute();
            });
    for (long left = testTimeout.toMillis(); left > 0; ) {
      if (tell(postgres.getNotifications((int) left))) {
        return true;
      }
      left = (deadline - System.nanoTime()) / 1_000_000;
    }
    if (!sent.isDone() || sent.isCompletedExceptionally()) {
      throw new SQLException("the test was not sent, so it tells nothing");
    }
    return false;
  }

  private boolean tell(PGNotification @Nullable [] notifications) {
    if (notifications == null || notifications.length == 0) {
      return false;
    }
    for (PGNotification notification : notifications) {
      heard.accept(notification.getParameter());
    }
    return true;
  }

  private boolean pausedUntilClosed(Duration pause) {
    try {
      return closed.await(pause.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      return true; // nobody interrupts this thread but to end it
    }
  }
}
