package dev.holdfast.jdbc;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;

@NeedsServer(Server.POSTGRESQL)
class PostgresqlCallersPoolIT extends CallersPoolContract {

  @Override
  SqlServer server() {
    return PostgresServer.shared();
  }

  @Override
  String limits() {
    return "SELECT current_setting('lock_timeout') || ' '"
        + " || current_setting('idle_in_transaction_session_timeout')";
  }
}
