package dev.holdfast.jdbc;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

@NeedsServer(value = Server.POSTGRESQL, ofItsOwn = true)
class PostgresqlServerIT extends ServerContract {

  private static PostgresServer server;

  @BeforeAll
  static void start() {
    server = PostgresServer.start();
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
    return "options=-c%20lock_timeout=200";
  }

  @Override
  String connectionCount(String databaseName) {
    return "SELECT count(*) - 1 FROM pg_stat_activity WHERE datname = '" + databaseName + "'";
  }

  @Override
  boolean isKnown(String finding) {
    return finding.startsWith("fsync is off") || finding.contains("(loopback)");
  }
}
