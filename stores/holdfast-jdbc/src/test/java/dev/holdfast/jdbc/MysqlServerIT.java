package dev.holdfast.jdbc;

import dev.holdfast.servers.MySqlServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

@NeedsServer(value = Server.MYSQL, ofItsOwn = true)
class MysqlServerIT extends ServerContract {

  private static MySqlServer server;

  @BeforeAll
  static void start() {
    server = MySqlServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Override
  SqlServer server() {
    return server;
  }

  @Override
  String shortLockWait() {
    return "sessionVariables=innodb_lock_wait_timeout=1";
  }

  @Override
  String connectionCount(String databaseName) {
    return "SELECT count(*) - 1 FROM information_schema.processlist WHERE db = '"
        + databaseName
        + "'";
  }

  @Override
  boolean isKnown(String finding) {
    return finding.startsWith("innodb_flush_log_at_trx_commit is not 1")
        || finding.contains("(loopback)");
  }
}
