package dev.holdfast.cli;

import dev.holdfast.servers.Database;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.Server;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

@NeedsServer(Server.POSTGRESQL)
class PostgresStoreIT extends ServerStoresContract {

  private static Database database;

  @BeforeAll
  static void open() throws SQLException {
    database = PostgresServer.shared().newDatabase();
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @Override
  String url() {
    return database.plainUrl();
  }

  @Override
  String user() {
    return database.user();
  }

  @Override
  String password() {
    return database.password();
  }
}
