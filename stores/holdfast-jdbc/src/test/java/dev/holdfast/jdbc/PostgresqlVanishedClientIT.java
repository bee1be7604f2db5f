package dev.holdfast.jdbc;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;

@NeedsServer(Server.POSTGRESQL)
class PostgresqlVanishedClientIT extends VanishedClientContract {

  @Override
  SqlServer server() {
    return PostgresServer.shared();
  }

  @Override
  String connectionCount(String databaseName) {
    return "SELECT count(*) FROM pg_stat_activity WHERE datname = '" + databaseName + "'";
  }
}
