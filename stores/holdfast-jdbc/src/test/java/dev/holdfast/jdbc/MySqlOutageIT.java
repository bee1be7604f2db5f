package dev.holdfast.jdbc;

import dev.holdfast.servers.MySqlServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;

@NeedsServer(value = Server.MYSQL, ofItsOwn = true)
class MySqlOutageIT extends SqlOutage {

  @Override
  SqlServer start() {
    return MySqlServer.start();
  }
}
