package dev.holdfast.jdbc;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;

@NeedsServer(Server.POSTGRESQL)
class PostgresqlBadInputIT extends BadInputContract {

  @Override
  SqlServer server() {
    return PostgresServer.shared();
  }
}
