package dev.holdfast.jdbc;

import dev.holdfast.servers.MariaDbServer;
import dev.holdfast.servers.MySqlServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The servers have paths of their own for a lock that goes from one holder to the next. */
class ServerModelIT {

  private static final String SCRIPTS = "&allowMultiQueries=true";

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
      new ModelRun(seed, database).run();
    }
  }
}
