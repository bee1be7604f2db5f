package dev.holdfast.jdbc;

import dev.holdfast.servers.MySqlServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;

@NeedsServer(Server.MYSQL)
class MysqlCallersPoolIT extends CallersPoolContract {

  @Override
  SqlServer server() {
    return MySqlServer.shared();
  }

  @Override
  String limits() {
    return "SELECT CONCAT(@@innodb_lock_wait_timeout, ' ', @@wait_timeout)";
  }
}
