package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.jdbc.dialect.MariaDbDialect;
import dev.holdfast.jdbc.dialect.MySqlDialect;
import dev.holdfast.jdbc.dialect.PostgresDialect;
import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.servers.MariaDbServer;
import dev.holdfast.servers.MySqlServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;
import dev.holdfast.testkit.store.ModelRun;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each database answers as the memory store does. */
class ModelIT {

  private static final String SCRIPTS = "&allowMultiQueries=true";

  @TempDir Path directory;

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void sqlite_answers_what_the_memory_store_answers(long seed) throws Exception {
    try (TestDatabase database = new TestDatabase(directory)) {
      run(seed, database);
    }
  }

  @NeedsServer(Server.POSTGRESQL)
  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void postgresql_answers_what_the_memory_store_answers(long seed) throws Exception {
    run(
        seed,
        PostgresServer.shared(),
        new PostgresDialect() {
          @Override
          public String clock() {
            return ClockedDatabase.CLOCK;
          }
        },
        "");
  }

  @NeedsServer(Server.MARIADB)
  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void mariadb_answers_what_the_memory_store_answers(long seed) throws Exception {
    run(
        seed,
        MariaDbServer.shared(),
        new MariaDbDialect() {
          @Override
          public String clock() {
            return ClockedDatabase.CLOCK;
          }
        },
        SCRIPTS);
  }

  @NeedsServer(Server.MYSQL)
  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void mysql_answers_what_the_memory_store_answers(long seed) throws Exception {
    run(
        seed,
        MySqlServer.shared(),
        new MySqlDialect() {
          @Override
          public String clock() {
            return ClockedDatabase.CLOCK;
          }
        },
        SCRIPTS);
  }

  private static void run(long seed, SqlServer server, Dialect dialect, String parameters)
      throws Exception {
    try (ClockedServer database = ClockedServer.on(server, dialect, parameters)) {
      run(seed, database);
    }
  }

  /** Through the lock row or through claim rows, whichever the calls lead to. */
  private static void run(long seed, ClockedDatabase database) throws Exception {
    List<JdbcLockStore> stores = List.of(database.open(), database.open());
    new ModelRun(seed, "lock ", stores, database.ticker, database::advance).run();
    assertThat(database.number(ClockedDatabase.INCONSISTENT)).isZero();
  }
}
