package dev.holdfast.jdbc;

import dev.holdfast.servers.MySqlServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

@NeedsServer(value = Server.MYSQL, ofItsOwn = true)
class MysqlRoundTripsIT extends AskedRoundTripsContract {

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
  int statementsOfHandOff() {
    return 14;
  }

  @Override
  String statementCount(String databaseName) {
    return "SHOW GLOBAL STATUS LIKE 'Questions'";
  }

  @Override
  int moreToWrite() {
    return 1;
  }
}
