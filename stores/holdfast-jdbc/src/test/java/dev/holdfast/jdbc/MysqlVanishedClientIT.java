package dev.holdfast.jdbc;

import dev.holdfast.servers.MySqlServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;

@NeedsServer(Server.MYSQL)
class MysqlVanishedClientIT extends VanishedClientContract {

  @Override
  SqlServer server() {
    return MySqlServer.shared();
  }

  @Override
  String readable() {
    return "&sslMode=DISABLED&allowPublicKeyRetrieval=true";
  }

  @Override
  String connectionCount(String databaseName) {
    return "SELECT count(*) FROM information_schema.processlist WHERE db = '" + databaseName + "'";
  }
}
