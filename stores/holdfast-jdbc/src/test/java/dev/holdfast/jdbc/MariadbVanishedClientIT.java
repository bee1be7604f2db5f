package dev.holdfast.jdbc;

import dev.holdfast.servers.MariaDbServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;

@NeedsServer(Server.MARIADB)
class MariadbVanishedClientIT extends VanishedClientContract {

  @Override
  SqlServer server() {
    return MariaDbServer.shared();
  }

  @Override
  String connectionCount(String databaseName) {
    return "SELECT count(*) FROM information_schema.processlist WHERE db = '" + databaseName + "'";
  }
}
