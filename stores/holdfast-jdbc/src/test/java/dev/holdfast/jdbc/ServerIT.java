package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.servers.Database;
import dev.holdfast.servers.MariaDbServer;
import dev.holdfast.servers.MySqlServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.store.Ask;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** What is peculiar to servers, on each of them. */
class ServerIT {

  @Nested
  @NeedsServer(value = Server.POSTGRESQL, ofItsOwn = true)
  class Postgresql extends ServerContract {

    private static PostgresServer server;

    @BeforeAll
    static void start() {
      server = PostgresServer.start();
    }

    @AfterAll
    static void stop() {
      server.close();
    }

    @Override
    SqlServer server() {
      return server;
    }

    @Override
    String shortLockWait() {
      return "options=-c%20lock_timeout=200";
    }

    @Override
    String connectionCount(String databaseName) {
      return "SELECT count(*) - 1 FROM pg_stat_activity WHERE datname = '" + databaseName + "'";
    }

    @Override
    boolean isKnown(String finding) {
      return finding.startsWith("fsync is off") || finding.contains("(loopback)");
    }
  }

  @Nested
  @NeedsServer(value = Server.MYSQL, ofItsOwn = true)
  class MySql extends ServerContract {

    private static MySqlServer server;

    @BeforeAll
    static void start() {
      server = MySqlServer.start();
    }

    @AfterAll
    static void stop() {
      server.close();
    }

    @Override
    SqlServer server() {
      return server;
    }

    @Override
    String shortLockWait() {
      return "sessionVariables=innodb_lock_wait_timeout=1";
    }

    @Override
    String connectionCount(String databaseName) {
      return "SELECT count(*) - 1 FROM information_schema.processlist WHERE db = '"
          + databaseName
          + "'";
    }

    @Override
    boolean isKnown(String finding) {
      return finding.startsWith("innodb_flush_log_at_trx_commit is not 1")
          || finding.contains("(loopback)");
    }
  }

  @Nested
  @NeedsServer(value = Server.MARIADB, ofItsOwn = true)
  class MariaDb extends ServerContract {

    private static MariaDbServer server;

    @BeforeAll
    static void start() {
      server = MariaDbServer.start();
    }

    @AfterAll
    static void stop() {
      server.close();
    }

    @Test
    void a_server_without_room_for_prepared_statements_gets_text() throws Exception {
      try (Connection admin = server.admin();
          Statement statement = admin.createStatement()) {
        statement.execute("SET GLOBAL max_prepared_stmt_count = 1");
        try (Database database = server.newDatabase();
            Ticker ticker = Ticker.system("no-room");
            LockStore store =
                new JdbcProvider()
                    .open(database.url(), new StoreSettings(ticker, Duration.ofSeconds(20)))) {
          Claim holder = Ask.mutex("lock");
          Claim waiter = Ask.mutex("lock");

          assertThat(Ask.join(store, holder)).isInstanceOf(Granted.class);
          assertThat(Ask.queue(store, waiter)).isInstanceOf(Queued.class);
          assertThat(Ask.leave(store, holder)).isEqualTo(Left.LEFT);
          assertThat(Ask.refresh(store, waiter)).isInstanceOf(Granted.class);
        } finally {
          statement.execute("SET GLOBAL max_prepared_stmt_count = DEFAULT");
        }
      }
    }

    @Override
    SqlServer server() {
      return server;
    }

    @Override
    String shortLockWait() {
      return "sessionVariables=innodb_lock_wait_timeout=1";
    }

    @Override
    String connectionCount(String databaseName) {
      return "SELECT count(*) - 1 FROM information_schema.processlist WHERE db = '"
          + databaseName
          + "'";
    }

    @Override
    boolean isKnown(String finding) {
      return finding.startsWith("innodb_flush_log_at_trx_commit is not 1")
          || finding.contains("(loopback)");
    }
  }
}
