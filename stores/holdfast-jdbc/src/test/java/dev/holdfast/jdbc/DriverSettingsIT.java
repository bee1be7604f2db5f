package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.servers.Database;
import dev.holdfast.servers.MariaDbServer;
import dev.holdfast.servers.MySqlServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.store.Ask;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What users set in their URLs for other reasons changes nothing about locks. */
class DriverSettingsIT {

  private final Ticker ticker = Ticker.system("driver-settings");

  @AfterEach
  void close() {
    ticker.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "useAffectedRows=true",
        "useServerPrepStmts=true&cachePrepStmts=true",
        "rewriteBatchedStatements=false",
        "allowMultiQueries=false",
        "characterEncoding=ISO-8859-1",
        "sessionVariables=time_zone='%2B05:30'",
        "sessionVariables=transaction_isolation=SERIALIZABLE",
        "sessionVariables=sql_mode=ANSI",
      })
  @NeedsServer(Server.MYSQL)
  void of_mysql(String settings) throws Exception {
    locksWork(MySqlServer.shared(), settings);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "useAffectedRows=true",
        "useServerPrepStmts=false",
        "allowMultiQueries=false",
        "useBulkStmts=true",
        "sessionVariables=tx_isolation=SERIALIZABLE",
        "sessionVariables=sql_mode=ANSI",
        "sessionVariables=sql_mode=SIMULTANEOUS_ASSIGNMENT",
      })
  @NeedsServer(Server.MARIADB)
  void of_mariadb(String settings) throws Exception {
    locksWork(MariaDbServer.shared(), settings);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "preferQueryMode=simple",
        "prepareThreshold=1",
        "prepareThreshold=0",
        "options=-c%20default_transaction_isolation=serializable",
        "options=-c%20timezone=Asia/Kolkata",
        "readOnlyMode=always",
        "autosave=always",
      })
  @NeedsServer(Server.POSTGRESQL)
  void of_postgresql(String settings) throws Exception {
    locksWork(PostgresServer.shared(), settings);
  }

  private void locksWork(SqlServer server, String settings) throws Exception {
    try (Database database = server.newDatabase();
        LockStore store =
            new JdbcProvider()
                .open(
                    database.url() + "&" + settings,
                    new StoreSettings(ticker, Duration.ofSeconds(20)))) {
      for (String name : List.of("ä€𝄞", "ä€𝄞 ", "Ä€𝄞", "'\\\"%_?")) {
        Claim holder = Ask.mutex(name);
        Claim waiter = Ask.mutex(name);

        Granted first = (Granted) Ask.join(store, holder);
        assertThat(Ask.join(store, Ask.mutex(name))).isInstanceOf(Busy.class);
        assertThat(Ask.queue(store, waiter)).isInstanceOf(Queued.class);
        assertThat(Ask.refresh(store, waiter)).isEqualTo(new Queued(1));
        assertThat(Ask.of(store.list(name, 9))).anyMatch(lock -> lock.name().equals(name));
        assertThat(Ask.of(store.refresh(List.of(holder, waiter), Deadlines.far())).values())
            .extracting(Standing::getClass)
            .containsExactlyInAnyOrder(Granted.class, Queued.class);
        assertThat(Ask.leave(store, holder)).isEqualTo(Left.LEFT);
        Granted second = (Granted) Ask.refresh(store, waiter);
        assertThat(second.token()).isGreaterThan(first.token());
        assertThat(Ask.leave(store, waiter)).isEqualTo(Left.LEFT);
      }
    }
  }
}
