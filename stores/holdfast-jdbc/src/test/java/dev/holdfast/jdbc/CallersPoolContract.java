package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.servers.Database;
import dev.holdfast.servers.SqlServer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Queued;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.store.Ask;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A store on the connections of a pool that the caller uses for other things, too. */
abstract class CallersPoolContract {

  private Database database;

  abstract SqlServer server();

  /** Asks for all limits of a session that the store sets while it has the connection. */
  abstract String limits();

  @BeforeEach
  void open() throws Exception {
    database = server().newDatabase();
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void the_callers_connections_go_back_as_they_came() throws Exception {
    try (HikariDataSource pool = callersPool()) {
      String before;
      try (Connection connection = pool.getConnection()) {
        before = text(connection, limits());
      }
      try (LockStore store = JdbcLockStore.over(pool)) {
        Claim claim = taken(store, "lock");
        Ask.refresh(store, claim);
        assertThat(Ask.of(store.refresh(List.of(claim, Ask.mutex("absent")), Deadlines.far())))
            .hasSize(2);
        assertThat(Ask.leave(store, claim)).isEqualTo(Left.LEFT);
      }
      assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
      for (int i = 0; i < 2; i++) {
        try (Connection connection = pool.getConnection()) {
          assertThat(connection.getAutoCommit()).isFalse();
          assertThat(connection.getTransactionIsolation())
              .isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
          assertThat(connection.getNetworkTimeout()).isZero();
          assertThat(text(connection, limits())).isEqualTo(before);
        }
      }
    }
  }

  @Test
  void a_data_source_that_refuses_scripts_is_sent_none() {
    try (HikariDataSource pool = callersPool();
        LockStore store = JdbcLockStore.over(Filtered.of(pool))) {
      Claim first = taken(store, "lock");
      Claim second = Ask.mutex("lock");
      assertThat(Ask.of(store.join(second, true, Deadlines.far()))).isInstanceOf(Queued.class);

      assertThat(Ask.leave(store, first)).isEqualTo(Left.LEFT);

      assertThat(Ask.refresh(store, second)).isInstanceOf(Granted.class);
    }
  }

  @Test
  void a_lock_is_no_part_of_the_callers_transaction() throws Exception {
    try (HikariDataSource pool = callersPool();
        Holdfast locks = Holdfast.builder().store(JdbcLockStore.over(pool)).build();
        Connection mine = pool.getConnection();
        Statement statement = mine.createStatement()) {
      statement.execute("CREATE TABLE mine (id INT)");
      mine.commit();
      statement.execute("INSERT INTO mine VALUES (1)");
      Lease lease = locks.lock("lock").acquire();
      mine.rollback();

      assertThat(locks.inspect("lock").holders()).hasSize(1);
      assertThat(text(mine, "SELECT count(*) FROM mine")).isEqualTo("0");
      lease.close();
    }
  }

  /** A pool of two, in transactions of the strictest kind. */
  private HikariDataSource callersPool() {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.url());
    config.setMaximumPoolSize(2);
    config.setAutoCommit(false);
    config.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
    return new HikariDataSource(config);
  }

  private static Claim taken(LockStore store, String lock) {
    Claim claim = Ask.mutex(lock);
    assertThat(Ask.join(store, claim)).isInstanceOf(Granted.class);
    return claim;
  }

  private static String text(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getString(1);
    }
  }
}
