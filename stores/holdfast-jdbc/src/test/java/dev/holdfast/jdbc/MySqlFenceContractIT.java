package dev.holdfast.jdbc;

import dev.holdfast.servers.MySqlServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;

@NeedsServer(Server.MYSQL)
class MySqlFenceContractIT extends SqlServerFenceContract {

  @Override
  SqlServer server() {
    return MySqlServer.shared();
  }
}
