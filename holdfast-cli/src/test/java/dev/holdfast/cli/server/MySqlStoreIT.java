package dev.holdfast.cli.server;

import dev.holdfast.servers.MySqlServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;

@NeedsServer(Server.MYSQL)
class MySqlStoreIT extends SqlStoreContract {

  @Override
  SqlServer server() {
    return MySqlServer.shared();
  }
}
