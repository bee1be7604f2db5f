package dev.holdfast.cli.server;

import dev.holdfast.servers.MariaDbServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;

@NeedsServer(Server.MARIADB)
class MariaDbStoreIT extends SqlStoreContract {

  @Override
  SqlServer server() {
    return MariaDbServer.shared();
  }
}
