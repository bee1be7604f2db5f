package dev.holdfast.jdbc.poll;

import dev.holdfast.jdbc.connection.SqlExecutor;
import dev.holdfast.jdbc.dialect.PostgresDialect;
import dev.holdfast.jdbc.sql.ConnectionPool;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Receives notifications of grants: one connection and one thread, from the first waiting claim
 * until the client is closed.
 *
 * <p>A proxy that shares connections swallows notifications silently. So it first sends one to
 * itself over another connection; if that does not arrive, it never listens again and logs this
 * once. A broken connection is replaced. The {@link Poller} finds what is missed meanwhile; it
 * polls fast while nothing listens.
 *
 * <p>Thread-safe.
 */
public final class PostgresListener implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger(PostgresListener.class.getName());

  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);
  private static final Duration QUIET = Duration.ofMillis(500);
  private static final int QUIET_TIMES = 60;

  /** No lock has this name: names are not empty. */
  private static final String TEST = "";

  private final String channel;
  private final ConnectionPool.Source source;
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
   * @param executor has other connections, for the test
   * @param heard receives the lock of which a claim was granted
   * @param changed runs whenever it begins or ceases to listen: something may have been missed
   */
  public PostgresListener(
      String channel,
      ConnectionPool.Source source,
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

  /** Returns whether notifications arrive, as far as is known. */
  public boolean isListening() {
    return listening;
  }

  /** Begins to listen soon, the first time. */
  public void start() {
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
      try (Connection opened = source.open()) {
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

  /**
   * Listens until closed.
   *
   * @return false if notifications do not arrive
   */
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
            "Notifications do not arrive, perhaps because a proxy shares connections:"
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
          throw new SQLException("the connection is broken");
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
            connection -> connection.prepare(PostgresDialect.NOTIFY, channel, TEST).execute());
    for (long left = testTimeout.toMillis(); left > 0; ) {
      if (tell(postgres.getNotifications((int) left))) {
        return true;
      }
      left = (deadline - System.nanoTime()) / 1_000_000;
    }
    if (!sent.isDone() || sent.isCompletedExceptionally()) {
      throw new SQLException("the test notification was not sent");
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
      return true; // an interrupt ends this thread
    }
  }
}
