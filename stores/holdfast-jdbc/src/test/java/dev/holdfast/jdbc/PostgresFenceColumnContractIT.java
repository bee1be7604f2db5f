package dev.holdfast.jdbc;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;

@NeedsServer(Server.POSTGRESQL)
class PostgresFenceColumnContractIT extends SqlServerFenceColumnContract {

  @Override
  SqlServer server() {
    return PostgresServer.shared();
  }
}
