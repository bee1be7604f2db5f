package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StoreException;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Queued;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteDataSource;

/** On connections of the caller's. */
class DataSourceTest {

  @TempDir Path directory;

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
      assertThat(Ask.of(store.evict("lock"))).isTrue();
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
            "no locks in a database of type 'Oracle'; known are: PostgreSQL, MySQL, MariaDB, H2, SQLite");
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
}
