package dev.holdfast.jdbc;

import dev.holdfast.servers.MySqlServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;

@NeedsServer(Server.MYSQL)
class MySqlFenceColumnContractIT extends SqlServerFenceColumnContract {

  @Override
  SqlServer server() {
    return MySqlServer.shared();
  }
}
