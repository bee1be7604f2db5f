package dev.holdfast.jdbc;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.MariaDbServer;
import dev.holdfast.servers.Server;
import dev.holdfast.testkit.LockStoreContract;
import dev.holdfast.testkit.StoreFixture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

@NeedsServer(value = Server.MARIADB, ofItsOwn = true)
class MariadbLockStoreContractIT extends LockStoreContract {

  private static MariaDbServer server;

  @BeforeAll
  static void start() {
    server = MariaDbServer.start();
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
