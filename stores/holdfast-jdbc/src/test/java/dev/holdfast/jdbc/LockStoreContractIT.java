package dev.holdfast.jdbc;

import dev.holdfast.jdbc.dialect.MariaDbDialect;
import dev.holdfast.jdbc.dialect.MySqlDialect;
import dev.holdfast.jdbc.dialect.PostgresDialect;
import dev.holdfast.servers.MariaDbServer;
import dev.holdfast.servers.MySqlServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.Server;
import dev.holdfast.testkit.LockStoreContract;
import dev.holdfast.testkit.StoreFixture;
import java.nio.file.Path;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** The whole contract on each database. */
class LockStoreContractIT {

  @Nested
  @NeedsServer(value = Server.POSTGRESQL, ofItsOwn = true)
  class Postgresql extends LockStoreContract {

    private static PostgresServer server;
    private static SqlFixture database;

    @BeforeAll
    static void start() throws SQLException {
      server = PostgresServer.start();
      database = SqlFixture.on(server);
    }

    @AfterAll
    static void stop() {
      server.close();
    }

    @Override
    protected StoreFixture fixture() {
      return database.store();
    }
  }

  @Nested
  @NeedsServer(value = Server.POSTGRESQL, ofItsOwn = true)
  class PostgresqlWithoutDdl extends LockStoreContract {

    private static PostgresServer server;
    private static SqlFixture database;

    @BeforeAll
    static void start() throws SQLException {
      server = PostgresServer.start();
      database = SqlFixture.withoutDdl(server, new PostgresDialect());
    }

    @AfterAll
    static void stop() {
      server.close();
    }

    @Override
    protected StoreFixture fixture() {
      return database.store();
    }
  }

  @Nested
  @NeedsServer(value = Server.MYSQL, ofItsOwn = true)
  class MySql extends LockStoreContract {

    private static MySqlServer server;
    private static SqlFixture database;

    @BeforeAll
    static void start() throws SQLException {
      server = MySqlServer.start();
      database = SqlFixture.on(server);
    }

    @AfterAll
    static void stop() {
      server.close();
    }

    @Override
    protected StoreFixture fixture() {
      return database.store();
    }
  }

  @Nested
  @NeedsServer(value = Server.MYSQL, ofItsOwn = true)
  class MySqlWithoutDdl extends LockStoreContract {

    private static MySqlServer server;
    private static SqlFixture database;

    @BeforeAll
    static void start() throws SQLException {
      server = MySqlServer.start();
      database = SqlFixture.withoutDdl(server, new MySqlDialect());
    }

    @AfterAll
    static void stop() {
      server.close();
    }

    @Override
    protected StoreFixture fixture() {
      return database.store();
    }
  }

  @Nested
  @NeedsServer(value = Server.MARIADB, ofItsOwn = true)
  class MariaDb extends LockStoreContract {

    private static MariaDbServer server;
    private static SqlFixture database;

    @BeforeAll
    static void start() throws SQLException {
      server = MariaDbServer.start();
      database = SqlFixture.on(server);
    }

    @AfterAll
    static void stop() {
      server.close();
    }

    @Override
    protected StoreFixture fixture() {
      return database.store();
    }
  }

  @Nested
  @NeedsServer(value = Server.MARIADB, ofItsOwn = true)
  class MariaDbWithoutDdl extends LockStoreContract {

    private static MariaDbServer server;
    private static SqlFixture database;

    @BeforeAll
    static void start() throws SQLException {
      server = MariaDbServer.start();
      database = SqlFixture.withoutDdl(server, new MariaDbDialect());
    }

    @AfterAll
    static void stop() {
      server.close();
    }

    @Override
    protected StoreFixture fixture() {
      return database.store();
    }
  }

  @Nested
  class H2 extends LockStoreContract {

    @TempDir static Path directory;

    private static H2Server server;

    @BeforeAll
    static void start() {
      server = new H2Server(directory);
    }

    @AfterAll
    static void stop() {
      server.close();
    }

    @Override
    protected StoreFixture fixture() {
      return new UrlFixture(server.url(), server::restart);
    }
  }

  @Nested
  class Sqlite extends LockStoreContract {

    @TempDir Path directory;

    @Override
    protected StoreFixture fixture() {
      return new SqliteFixture(directory.resolve("locks.db"));
    }
  }
}
