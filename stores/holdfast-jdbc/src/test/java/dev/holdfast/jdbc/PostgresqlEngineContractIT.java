package dev.holdfast.jdbc;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.Server;
import dev.holdfast.testkit.EngineContract;
import dev.holdfast.testkit.StoreFixture;

@NeedsServer(Server.POSTGRESQL)
class PostgresqlEngineContractIT extends EngineContract {

  @Override
  protected StoreFixture fixture() {
    return ServerFixture.of(PostgresServer.shared());
  }
}
