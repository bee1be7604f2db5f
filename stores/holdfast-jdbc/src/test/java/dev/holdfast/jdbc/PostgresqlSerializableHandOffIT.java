package dev.holdfast.jdbc;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;

/** Where a row that has changed fails the statement. */
@NeedsServer(Server.POSTGRESQL)
class PostgresqlSerializableHandOffIT extends HandOffContract {

  @Override
  SqlServer server() {
    return PostgresServer.shared();
  }

  @Override
  String waitCount(String databaseName) {
    return PostgresqlHandOffIT.waiting(databaseName);
  }

  @Override
  String parameters() {
    return "&options=-c%20default_transaction_isolation=serializable";
  }
}
