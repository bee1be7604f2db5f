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
import java.util.Set;
import java.util.function.Supplier;

/**
 * An SQL database.
 *
 * @param server starts one
 * @param dialect how it differs from the other
 */
public record SqlStore(
    String name,
    String title,
    boolean pushes,
    boolean isDurable,
    Framing framing,
    Supplier<? extends SqlServer> server,
    SqlDialect dialect)
    implements Store {

  /** PostgreSQL. */
  public static final Store POSTGRESQL = postgresql("postgresql", "PostgreSQL", false);

  /** The same as in production: it waits for its disk. */
  public static final Store POSTGRESQL_DURABLE =
      postgresql("postgresql-durable", "PostgreSQL, durable", true);

  /** MariaDB. */
  public static final Store MARIADB = mariadb("mariadb", "MariaDB", false);

  /** The same as in production: it waits for its disk. */
  public static final Store MARIADB_DURABLE = mariadb("mariadb-durable", "MariaDB, durable", true);

  private static final Set<String> WHAT_THE_DISK_DECIDES = Set.of("uncontended", "many-locks");

  private static Store postgresql(String name, String title, boolean durable) {
    String disk = "fsync=" + (durable ? "on" : "off");
    return new SqlStore(
        name,
        title,
        true,
        durable,
        PostgresCounter::new,
        () -> PostgresServer.start(disk),
        SqlDialect.POSTGRESQL);
  }

  private static Store mariadb(String name, String title, boolean durable) {
    String disk = "--innodb-flush-log-at-trx-commit=" + (durable ? 1 : 2);
    return new SqlStore(
        name,
        title,
        false,
        durable,
        MariaDbCounter::new,
        () -> MariaDbServer.start(disk),
        SqlDialect.MARIADB);
  }

  @Override
  public boolean offers(String workload) {
    return !isDurable || WHAT_THE_DISK_DECIDES.contains(workload);
  }

  @Override
  public List<Contender> contenders() {
    return List.of(
        HoldfastClient.BY_DEFAULT,
        HoldfastClient.WITHOUT_HAND_OFF,
        HoldfastClient.WITH_SLICE,
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

  private String version(Database database) throws Exception {
    try (Connection connection = database.connect()) {
      DatabaseMetaData about = connection.getMetaData();
      return about.getDatabaseProductName()
          + " "
          + about.getDatabaseProductVersion()
          + (isDurable ? ", waits for its disk" : ", without waiting for the disk");
    }
  }
}
