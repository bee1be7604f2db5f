package dev.holdfast.jdbc;

import dev.holdfast.servers.MariaDbServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;

@NeedsServer(value = Server.MARIADB, ofItsOwn = true)
class MariaDbOutageIT extends SqlOutage {

  @Override
  SqlServer start() {
    return MariaDbServer.start();
  }
}
