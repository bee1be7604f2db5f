package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.LockStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

@NeedsServer(value = Server.POSTGRESQL, ofItsOwn = true)
class PostgresqlRoundTripsIT extends RoundTripsContract {

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
  int ofBeingToldBusy() {
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
  void a_waiter_that_listens_is_told_at_no_further_cost() {
    Claim holder = Ask.mutex("lock");
    findOthers();
    Ask.join(store(), holder);
    try (LockStore other = new JdbcProvider().open(database().url(), settings())) {
      Ask.queue(other, Ask.mutex("lock"));

      assertThat(cost(() -> Ask.leave(store(), holder))).isEqualTo(1);
    }
  }
}
