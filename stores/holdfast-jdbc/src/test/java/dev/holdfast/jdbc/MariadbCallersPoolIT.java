package dev.holdfast.jdbc;

import dev.holdfast.servers.MariaDbServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;

@NeedsServer(Server.MARIADB)
class MariadbCallersPoolIT extends CallersPoolContract {

  @Override
  SqlServer server() {
    return MariaDbServer.shared();
  }

  @Override
  String limits() {
    return "SELECT CONCAT(@@innodb_lock_wait_timeout, ' ', @@idle_transaction_timeout)";
  }
}
