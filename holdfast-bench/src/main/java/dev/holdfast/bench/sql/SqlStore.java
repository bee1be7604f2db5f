package dev.holdfast.bench.sql;

import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.HoldfastClient;
import dev.holdfast.bench.store.Framing;
import dev.holdfast.bench.store.RunningServer;
import dev.holdfast.bench.store.Store;
import dev.holdfast.servers.Database;
import dev.holdfast.servers.MariaDbServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.SqlServer;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.util.List;
import java.util.function.Supplier;

/**
 * An SQL database.
 *
 * @param server starts one
 * @param dialect how it differs from the other
 */
public record SqlStore(
    String name,
    boolean pushes,
    Framing framing,
    Supplier<? extends SqlServer> server,
    SqlDialect dialect)
    implements Store {

  /** PostgreSQL. */
  public static final Store POSTGRESQL =
      new SqlStore(
          "postgresql", true, PostgresCounter::new, PostgresServer::start, SqlDialect.POSTGRESQL);

  /** MariaDB. */
  public static final Store MARIADB =
      new SqlStore("mariadb", false, MariaDbCounter::new, MariaDbServer::start, SqlDialect.MARIADB);

  @Override
  public List<Contender> contenders() {
    return List.of(
        HoldfastClient.BY_DEFAULT,
        HoldfastClient.WITHOUT_HAND_OFF,
        SqlFloor.contender(dialect),
        SqlFloor.limit(dialect),
        SpringJdbc.contender(dialect),
        ShedLockJdbc.CONTENDER);
  }

  @Override
  public RunningServer start() throws Exception {
    SqlServer running = server.get();
    Database database = running.newDatabase();
    database.execute(
        List.of(
            SqlFloor.TABLE, dialect.table(SpringJdbc.TABLE), dialect.table(ShedLockJdbc.TABLE)));
    return new RunningServer(database.url(), running.port(), version(database), running);
  }

  private static String version(Database database) throws Exception {
    try (Connection connection = database.connect()) {
      DatabaseMetaData about = connection.getMetaData();
      return about.getDatabaseProductName()
          + " "
          + about.getDatabaseProductVersion()
          + ", without waiting for the disk";
    }
  }
}
