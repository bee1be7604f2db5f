package dev.holdfast.jdbc;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.MariaDbServer;
import dev.holdfast.servers.Server;
import dev.holdfast.testkit.EngineContract;
import dev.holdfast.testkit.StoreFixture;

@NeedsServer(Server.MARIADB)
class MariadbEngineContractIT extends EngineContract {

  @Override
  protected StoreFixture fixture() {
    return ServerFixture.of(MariaDbServer.shared());
  }
}
