package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StoreException;
import dev.holdfast.jdbc.dialect.Dialects;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.store.Ask;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteDataSource;

/** On connections of the caller's. */
class DataSourceTest {

  private final Ticker ticker = Ticker.system("data-source");

  @TempDir Path directory;

  @AfterEach
  void closeTicker() {
    ticker.close();
  }

  @Test
  void every_verb_works_on_the_callers_connections() throws Exception {
    SQLiteDataSource dataSource = dataSource();
    try (LockStore store = JdbcLockStore.over(dataSource);
        LockStore other = JdbcLockStore.over(dataSource)) {
      Claim first = Ask.mutex("lock");
      Claim second = Ask.mutex("lock");

      assertThat(Ask.join(store, first)).isInstanceOf(Granted.class);
      assertThat(Ask.queue(other, second)).isEqualTo(new Queued(1));
      assertThat(Ask.of(store.inspect("lock")).waiters()).hasSize(1);
      assertThat(Ask.leave(store, first)).isEqualTo(Left.LEFT);
      assertThat(Ask.refresh(other, second)).isInstanceOf(Granted.class);
      assertThat(Ask.of(store.list("", 10))).hasSize(1);
      assertThat(Ask.of(store.evict("lock", LockStore.ANY_TOKEN))).isTrue();
      assertThat(store).hasToString(dataSource.getUrl());
    }
  }

  @Test
  void a_client_takes_such_a_store() throws Exception {
    try (Holdfast locks = Holdfast.builder().store(JdbcLockStore.over(dataSource())).build();
        Lease lease = locks.lock("lock").acquire()) {
      assertThat(lease.isValid()).isTrue();
    }
  }

  @Test
  void a_connection_is_given_back_as_it_came() throws Exception {
    SingleConnection dataSource = new SingleConnection(dataSource());
    dataSource.connection.setAutoCommit(false);
    dataSource.connection.unwrap(SQLiteConnection.class).setBusyTimeout(4321);

    try (LockStore store = JdbcLockStore.over(dataSource)) {
      Claim claim = Ask.mutex("lock");
      Ask.join(store, claim);
      Ask.refresh(store, claim);
      Ask.leave(store, claim);
    }

    assertThat(dataSource.taken).hasValue(0);
    assertThat(dataSource.connection.getAutoCommit()).isFalse();
    assertThat(dataSource.connection.unwrap(SQLiteConnection.class).getBusyTimeout())
        .isEqualTo(4321);
    dataSource.connection.close();
  }

  @Test
  void a_database_that_is_not_known_is_refused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Dialects.of("Oracle", "23"))
        .withMessage(
            "unsupported database 'Oracle'; supported are: PostgreSQL, MySQL, MariaDB, H2, SQLite");
  }

  @Test
  void a_database_in_memory_is_refused() {
    SQLiteDataSource dataSource = new SQLiteDataSource();
    dataSource.setUrl("jdbc:sqlite::memory:");

    assertThatIllegalArgumentException()
        .isThrownBy(() -> JdbcLockStore.over(dataSource))
        .withMessageContaining("only the path of a file can be shared by processes");
  }

  @Test
  void a_data_source_without_connections_is_an_unusable_store() {
    SQLiteDataSource dataSource = new SQLiteDataSource();
    dataSource.setUrl("jdbc:sqlite:" + directory.resolve("missing/locks.db"));

    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> JdbcLockStore.over(dataSource))
        .withMessageStartingWith("No connection from the data source");
  }

  @Test
  void a_data_source_that_keeps_its_callers_waiting_is_not_waited_for_longer_than_an_operation() {
    SlowDataSource slow = new SlowDataSource(dataSource());
    slow.gate.close();
    StoreSettings settings = new StoreSettings(ticker, Duration.ofMillis(200));

    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> JdbcLockStore.over(slow, JdbcOptions.defaults(), settings))
        .withMessage("No connection from the data source: none within PT0.2S");
    slow.gate.open();
    // It may make the file only now, which must not outlive the test.
    await().until(() -> !isOpening());
  }

  private static boolean isOpening() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().equals("holdfast-jdbc-opening"));
  }

  @Test
  void a_connection_that_comes_too_late_goes_straight_back() throws Exception {
    SlowDataSource slow = new SlowDataSource(dataSource());
    StoreSettings settings = new StoreSettings(ticker, Duration.ofMillis(500));
    try (LockStore store = JdbcLockStore.over(slow, JdbcOptions.defaults(), settings)) {
      Ask.of(store.inspect("behind the sweep that opening starts"));
      slow.gate.close();
      CompletableFuture<JoinAnswer> answer =
          store
              .join(Ask.mutex("lock"), false, Deadlines.in(settings.operationTimeout()))
              .toCompletableFuture();
      await().during(Duration.ofSeconds(1)).until(() -> !answer.isDone());
      slow.gate.open();

      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(() -> Ask.of(answer))
          .withMessageContaining("no connection before its deadline");
      assertThat(Ask.of(store.list("", 9))).isEmpty();
    }
  }

  private SQLiteDataSource dataSource() {
    SQLiteDataSource dataSource = new SQLiteDataSource();
    dataSource.setUrl("jdbc:sqlite:" + directory.resolve("locks.db") + "?journal_mode=WAL");
    return dataSource;
  }

  /** A pool of one connection that tells whether it has been given back. */
  private static final class SingleConnection extends SQLiteDataSource {
    final AtomicInteger taken = new AtomicInteger();
    final Connection connection;

    SingleConnection(SQLiteDataSource dataSource) throws SQLException {
      connection = dataSource.getConnection();
    }

    @Override
    public Connection getConnection() {
      taken.incrementAndGet();
      return StatementLog.closing(connection, taken::decrementAndGet);
    }
  }

  /** Hands out connections only while its gate is open. */
  private static final class SlowDataSource extends SQLiteDataSource {
    final Switch gate = new Switch();

    SlowDataSource(SQLiteDataSource dataSource) {
      setUrl(dataSource.getUrl());
    }

    @Override
    public SQLiteConnection getConnection(String user, String password) throws SQLException {
      gate.pass();
      return super.getConnection(user, password);
    }
  }

  /** Lets pass or wait. */
  private static final class Switch {
    private volatile CountDownLatch latch = new CountDownLatch(0);

    void close() {
      latch = new CountDownLatch(1);
    }

    void open() {
      latch.countDown();
    }

    void pass() {
      try {
        latch.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }
}
