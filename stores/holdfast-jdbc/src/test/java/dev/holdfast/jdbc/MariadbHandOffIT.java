package dev.holdfast.jdbc;

import dev.holdfast.servers.MariaDbServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;

@NeedsServer(Server.MARIADB)
class MariadbHandOffIT extends RenewalContract {

  @Override
  Dialect dialect() {
    return new MariaDbDialect();
  }

  @Override
  SqlServer server() {
    return MariaDbServer.shared();
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
