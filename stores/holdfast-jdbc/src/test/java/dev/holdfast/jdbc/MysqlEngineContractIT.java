package dev.holdfast.jdbc;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.MySqlServer;
import dev.holdfast.servers.Server;
import dev.holdfast.testkit.EngineContract;
import dev.holdfast.testkit.StoreFixture;

@NeedsServer(Server.MYSQL)
class MysqlEngineContractIT extends EngineContract {

  @Override
  protected StoreFixture fixture() {
    return ServerFixture.of(MySqlServer.shared());
  }
}
