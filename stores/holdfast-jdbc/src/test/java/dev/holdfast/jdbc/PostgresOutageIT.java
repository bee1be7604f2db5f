package dev.holdfast.jdbc;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;

@NeedsServer(value = Server.POSTGRESQL, ofItsOwn = true)
class PostgresOutageIT extends SqlOutage {

  @Override
  SqlServer start() {
    return PostgresServer.start();
  }
}
