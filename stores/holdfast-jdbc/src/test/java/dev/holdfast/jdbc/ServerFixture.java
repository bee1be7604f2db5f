package dev.holdfast.jdbc;

import dev.holdfast.servers.Database;
import dev.holdfast.servers.SqlServer;
import dev.holdfast.testkit.StoreFixture;
import java.sql.SQLException;
import java.util.List;

/** Databases of real servers, for the contracts. */
final class ServerFixture {

  private ServerFixture() {}

  /** As a user who may do anything in a database, where nothing is yet. */
  static StoreFixture of(SqlServer server) {
    try {
      Database database = server.newDatabase();
      return new UrlFixture(database.url(), server::restart, database::close);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** As a user who may only read and write rows, with tables made from the file that we ship. */
  static StoreFixture withoutDdl(SqlServer server, Dialect dialect) {
    try {
      Database database = server.newDatabase();
      database.execute(Schema.statements(dialect));
      Database rowsOnly = database.withoutDdl();
      assertMayNotMakeTables(rowsOnly);
      return new UrlFixture(
          rowsOnly.url() + "&holdfast.createTables=false", server::restart, database::close);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void assertMayNotMakeTables(Database database) {
    try {
      database.execute(List.of("CREATE TABLE refused (id INT)"));
    } catch (SQLException refused) {
      return;
    }
    throw new AssertionError("this user may make tables");
  }
}
