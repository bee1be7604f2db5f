package dev.holdfast.cli.server;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;

@NeedsServer(Server.POSTGRESQL)
class PostgresStoreIT extends SqlStoreContract {

  @Override
  SqlServer server() {
    return PostgresServer.shared();
  }
}
