package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.jdbc.connection.DatabasePool;
import dev.holdfast.jdbc.dialect.PostgresDialect;
import dev.holdfast.jdbc.poll.PollInterval;
import dev.holdfast.servers.Database;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.testkit.ManualTicker;
import dev.holdfast.testkit.store.Ask;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Notifications. The ticker stands still unless a test moves it: nothing is polled before. */
@NeedsServer(Server.POSTGRESQL)
class PostgresListenerIT {

  private final ManualTicker ticker = new ManualTicker();
  private final StoreSettings settings = new StoreSettings(ticker, Duration.ofSeconds(20));
  private Database database;
  private LockStore store;
  private LockStore other;

  @BeforeEach
  void open() throws Exception {
    database = PostgresServer.shared().newDatabase();
    store = new JdbcProvider().open(database.url(), settings);
    other = new JdbcProvider().open(database.url(), settings);
  }

  @AfterEach
  void close() {
    other.close();
    store.close();
    database.close();
    ticker.close();
  }

  @Test
  void a_claim_that_is_granted_is_notified_without_a_poll() throws Exception {
    Claim holder = Ask.mutex("lock");
    Claim waiter = Ask.mutex("lock");
    Ask.join(store, holder);
    AtomicInteger hints = waitOn(other, waiter);
    awaitListeners(1);

    Ask.leave(store, holder);

    await().until(() -> hints.get() > 0);
    assertThat(Ask.refresh(other, waiter)).isInstanceOf(Granted.class);
  }

  @Test
  void the_next_in_line_is_notified_of_a_linger_and_looks_again_when_that_is_over()
      throws Exception {
    Claim holder = Ask.mutex("lock");
    Claim waiter = Ask.mutex("lock");
    Ask.join(store, holder);
    AtomicInteger hints = waitOn(other, waiter);
    awaitListeners(1);

    Ask.leave(store, new Departure(holder, LINGER, false));

    await().until(() -> hints.getAndSet(0) > 0); // that there is something to know
    Ask.refresh(other, waiter);
    await().until(() -> query(LINGERS) == 0);
    ticker.advance(LINGER.plusMillis(50)); // sooner than any poll
    await().until(() -> hints.get() > 0);
    assertThat(Ask.refresh(other, waiter)).isInstanceOf(Granted.class);
  }

  @Test
  void a_client_that_never_waits_has_no_listener() throws Exception {
    Claim claim = Ask.mutex("lock");
    Ask.join(store, claim);
    Ask.leave(store, claim);

    assertThat(listeners()).isZero();
  }

  @Test
  void a_client_has_one_listener_however_many_wait() throws Exception {
    for (int i = 0; i < 10; i++) {
      Ask.join(store, Ask.mutex("lock " + i));
      Ask.queue(other, Ask.mutex("lock " + i));
    }

    awaitListeners(1);
  }

  @Test
  void a_listener_whose_connection_breaks_makes_another() throws Exception {
    Claim holder = Ask.mutex("lock");
    Claim waiter = Ask.mutex("lock");
    Ask.join(store, holder);
    AtomicInteger hints = waitOn(other, waiter);
    awaitListeners(1);
    long before = newestListener();

    query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE " + LISTENS);
    await().until(() -> listeners() == 1 && newestListener() != before);
    int already = hints.get();
    Ask.leave(store, holder);

    await().until(() -> hints.get() > already);
  }

  @Test
  void the_poll_behind_it_finds_what_nobody_tells() throws Exception {
    Claim holder = Ask.mutex("lock");
    Ask.join(store, holder);
    AtomicInteger hints = waitOn(other, Ask.mutex("lock"));
    awaitListeners(1);

    // As if its notification were lost.
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("UPDATE holdfast_lock SET expires = 0 WHERE name = 'lock'");
    }

    await()
        .until(
            () -> {
              ticker.advance(Duration.ofMillis(500));
              return hints.get() > 0;
            });
  }

  /** A session of another database hears nothing, as behind a proxy that shares connections. */
  @Test
  void where_notifications_do_not_arrive_it_polls_instead() throws Exception {
    try (Database elsewhere = PostgresServer.shared().newDatabase()) {
      DataSource deaf = TestDataSource.of(elsewhere.url());
      DatabasePool connections =
          DatabasePool.ofCallers(TestDataSource.of(database.url()), true, Duration.ofSeconds(20));
      DatabaseAccess access =
          DatabaseAccess.of(connections, JdbcOptions.defaults(), deaf::getConnection);
      StoreSettings impatient = new StoreSettings(ticker, Duration.ofSeconds(1));
      try (LockStore polling = new JdbcLockStore(access, impatient, () -> {}).opened()) {
        Claim holder = Ask.mutex("lock");
        Ask.join(store, holder);
        AtomicInteger hints = waitOn(polling, Ask.mutex("lock"));
        Ask.leave(store, holder);

        await()
            .until(
                () -> {
                  ticker.advance(PollInterval.FAST);
                  return hints.get() > 0;
                });
      }
    }
  }

  @Test
  void a_closed_client_leaves_no_listener_behind() throws Exception {
    Ask.join(store, Ask.mutex("lock"));
    Ask.queue(other, Ask.mutex("lock"));
    awaitListeners(1);

    other.close();

    awaitListeners(0);
  }

  private static final Duration LINGER = Duration.ofMillis(300);

  private static final String LINGERS =
      "SELECT count(*) FROM holdfast_claim WHERE state = 'LINGERING' AND expires > "
          + new PostgresDialect().clock();

  private static final String LISTENS = "datname = current_database() AND query LIKE 'LISTEN %'";

  private AtomicInteger waitOn(LockStore where, Claim waiter) {
    AtomicInteger hints = new AtomicInteger();
    where.observe(waiter.lock(), hints::incrementAndGet);
    Ask.queue(where, waiter);
    return hints;
  }

  private void awaitListeners(int count) {
    await().until(() -> listeners() == count);
  }

  private long listeners() throws SQLException {
    return query("SELECT count(*) FROM pg_stat_activity WHERE " + LISTENS);
  }

  private long newestListener() throws SQLException {
    return query("SELECT coalesce(max(pid), 0) FROM pg_stat_activity WHERE " + LISTENS);
  }

  private long query(String sql) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      return rows.next() && rows.getMetaData().getColumnTypeName(1).startsWith("int")
          ? rows.getLong(1)
          : 0;
    }
  }
}
