package dev.holdfast.jdbc;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.Server;
import dev.holdfast.testkit.EngineContract;
import dev.holdfast.testkit.StoreFixture;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

@NeedsServer(Server.POSTGRESQL)
class PostgresqlEngineContractIT extends EngineContract {

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
