package dev.holdfast.jdbc;

import dev.holdfast.servers.MariaDbServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.testkit.LockStoreContract;
import dev.holdfast.testkit.StoreFixture;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

@NeedsServer(value = Server.MARIADB, ofItsOwn = true)
class MariadbLockStoreContractIT extends LockStoreContract {

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
