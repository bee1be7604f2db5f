package dev.holdfast.jdbc;

import dev.holdfast.servers.MariaDbServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.testkit.EngineContract;
import dev.holdfast.testkit.StoreFixture;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

@NeedsServer(Server.MARIADB)
class MariadbEngineContractIT extends EngineContract {

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
