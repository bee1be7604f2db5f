package dev.holdfast.jdbc;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.MySqlServer;
import dev.holdfast.servers.Server;
import dev.holdfast.testkit.LockStoreContract;
import dev.holdfast.testkit.StoreFixture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

@NeedsServer(value = Server.MYSQL, ofItsOwn = true)
class MysqlLockStoreContractIT extends LockStoreContract {

  private static MySqlServer server;

  @BeforeAll
  static void start() {
    server = MySqlServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Override
  protected StoreFixture fixture() {
    return ServerFixture.of(server);
  }
}
