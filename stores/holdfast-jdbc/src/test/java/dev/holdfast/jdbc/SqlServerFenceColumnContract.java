package dev.holdfast.jdbc;

import dev.holdfast.servers.Database;
import dev.holdfast.servers.SqlServer;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;

/** The same on a server, in a database of the test's own. */
abstract class SqlServerFenceColumnContract extends FenceColumnContract {

  private Database database;

  abstract SqlServer server();

  @AfterEach
  void close() {
    database.close();
  }

  @Override
  String url() {
    try {
      database = database == null ? server().newDatabase() : database;
      return database.url();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
