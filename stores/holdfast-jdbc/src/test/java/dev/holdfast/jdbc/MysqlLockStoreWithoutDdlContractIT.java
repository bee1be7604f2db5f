package dev.holdfast.jdbc;

import dev.holdfast.servers.MySqlServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.testkit.LockStoreContract;
import dev.holdfast.testkit.StoreFixture;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

@NeedsServer(value = Server.MYSQL, ofItsOwn = true)
class MysqlLockStoreWithoutDdlContractIT extends LockStoreContract {

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
