package dev.holdfast.jdbc;

import dev.holdfast.servers.MySqlServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;

@NeedsServer(Server.MYSQL)
class MysqlHandOffIT extends RenewalContract {

  @Override
  Dialect dialect() {
    return new MySqlDialect();
  }

  @Override
  SqlServer server() {
    return MySqlServer.shared();
  }

  @Override
  String waitCount(String databaseName) {
    return "SELECT COUNT(*) FROM information_schema.innodb_trx t"
        + " JOIN information_schema.processlist p ON p.id = t.trx_mysql_thread_id"
        + " WHERE t.trx_state = 'LOCK WAIT' AND p.db = '"
        + databaseName
        + "'";
  }
}
