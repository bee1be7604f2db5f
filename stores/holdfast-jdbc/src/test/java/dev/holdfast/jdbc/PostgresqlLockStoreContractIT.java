package dev.holdfast.jdbc;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.Server;
import dev.holdfast.testkit.LockStoreContract;
import dev.holdfast.testkit.StoreFixture;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

@NeedsServer(value = Server.POSTGRESQL, ofItsOwn = true)
class PostgresqlLockStoreContractIT extends LockStoreContract {

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
