package dev.holdfast.jdbc;

import dev.holdfast.servers.MariaDbServer;
import dev.holdfast.servers.MySqlServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.Server;
import dev.holdfast.testkit.EngineContract;
import dev.holdfast.testkit.StoreFixture;
import java.nio.file.Path;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** The engine on each database. */
class EngineContractIT {

  @Nested
  @NeedsServer(Server.POSTGRESQL)
  class Postgresql extends EngineContract {

    private static SqlFixture database;

    @BeforeAll
    static void open() throws SQLException {
      database = SqlFixture.on(PostgresServer.shared());
    }

    @AfterAll
    static void close() {
      database.close();
    }

    @Override
    protected StoreFixture fixture() {
      return database.store();
    }
  }

  @Nested
  @NeedsServer(Server.MYSQL)
  class MySql extends EngineContract {

    private static SqlFixture database;

    @BeforeAll
    static void open() throws SQLException {
      database = SqlFixture.on(MySqlServer.shared());
    }

    @AfterAll
    static void close() {
      database.close();
    }

    @Override
    protected StoreFixture fixture() {
      return database.store();
    }
  }

  @Nested
  @NeedsServer(Server.MARIADB)
  class MariaDb extends EngineContract {

    private static SqlFixture database;

    @BeforeAll
    static void open() throws SQLException {
      database = SqlFixture.on(MariaDbServer.shared());
    }

    @AfterAll
    static void close() {
      database.close();
    }

    @Override
    protected StoreFixture fixture() {
      return database.store();
    }
  }

  @Nested
  class H2 extends EngineContract {

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
  class Sqlite extends EngineContract {

    @TempDir Path directory;

    @Override
    protected StoreFixture fixture() {
      return new SqliteFixture(directory.resolve("locks.db"));
    }
  }
}
