package dev.holdfast.cli.server;

import dev.holdfast.servers.Database;
import dev.holdfast.servers.SqlServer;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The same on a SQL server, with a database of the test's own. */
abstract class SqlStoreContract extends ServerStoresContract {

  private Database database;

  abstract SqlServer server();

  @BeforeEach
  void open() throws SQLException {
    database = server().newDatabase();
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Override
  String url() {
    return database.plainUrl();
  }

  @Override
  String url(String password) {
    String separator = url().contains("?") ? "&" : "?";
    return url() + separator + "user=" + user() + "&password=" + password;
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
