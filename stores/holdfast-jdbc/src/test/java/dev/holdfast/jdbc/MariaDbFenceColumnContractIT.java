package dev.holdfast.jdbc;

import dev.holdfast.servers.MariaDbServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;

@NeedsServer(Server.MARIADB)
class MariaDbFenceColumnContractIT extends SqlServerFenceColumnContract {

  @Override
  SqlServer server() {
    return MariaDbServer.shared();
  }
}
