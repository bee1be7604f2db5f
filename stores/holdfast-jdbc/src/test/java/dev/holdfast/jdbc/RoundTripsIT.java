package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.servers.MariaDbServer;
import dev.holdfast.servers.MySqlServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.LockStore;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.store.Ask;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Round trips and statements on each server. */
class RoundTripsIT {

  @Nested
  @NeedsServer(value = Server.POSTGRESQL, ofItsOwn = true)
  class Postgresql extends RoundTripsContract {

    private static PostgresServer server;

    @BeforeAll
    static void start() throws SQLException {
      server = PostgresServer.start("shared_preload_libraries=pg_stat_statements");
      try (Connection admin = server.admin();
          Statement statement = admin.createStatement()) {
        statement.execute("CREATE EXTENSION pg_stat_statements");
      }
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
    int statementsOfHandOff() {
      return 3;
    }

    @Override
    int ofFindingItBusy() {
      return 1;
    }

    @Override
    int ofRenewingTwo() {
      return 1;
    }

    @Override
    String statementCount(String databaseName) {
      return "SELECT sum(s.calls) FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid"
          + " WHERE d.datname = '"
          + databaseName
          + "'";
    }

    @Test
    void two_hundred_locks_are_renewed_by_one_statement() throws Exception {
      List<Claim> many = IntStream.range(0, 200).mapToObj(i -> Ask.mutex("lock " + i)).toList();
      many.forEach(this::taken);

      assertThat(statementsOf(() -> Ask.of(store().refresh(many, Deadlines.far())))).isEqualTo(1);
    }

    @Test
    void a_waiter_that_listens_is_notified_at_no_further_cost() {
      Claim holder = Ask.mutex("lock");
      findOthers();
      Ask.join(store(), holder);
      try (LockStore other = new JdbcProvider().open(database().url(), settings())) {
        Ask.queue(other, Ask.mutex("lock"));

        assertThat(cost(() -> Ask.leave(store(), holder))).isEqualTo(1);
      }
    }
  }

  @Nested
  @NeedsServer(value = Server.MYSQL, ofItsOwn = true)
  class MySql extends AskedRoundTripsContract {

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
    int statementsOfHandOff() {
      return 14;
    }

    @Override
    String statementCount(String databaseName) {
      return "SHOW GLOBAL STATUS LIKE 'Questions'";
    }

    @Override
    int moreToWrite() {
      return 1;
    }
  }

  @Nested
  @NeedsServer(value = Server.MARIADB, ofItsOwn = true)
  class MariaDb extends AskedRoundTripsContract {

    private static MariaDbServer server;

    @BeforeAll
    static void start() {
      server = MariaDbServer.start();
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
    int statementsOfHandOff() {
      return 3;
    }

    @Override
    String statementCount(String databaseName) {
      return "SHOW GLOBAL STATUS LIKE 'Questions'";
    }
  }
}
