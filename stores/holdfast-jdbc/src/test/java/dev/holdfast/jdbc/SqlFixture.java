package dev.holdfast.jdbc;

import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.jdbc.sql.Schema;
import dev.holdfast.servers.Database;
import dev.holdfast.servers.SqlServer;
import dev.holdfast.testkit.StoreFixture;
import java.sql.SQLException;
import java.util.List;

/** One database on a real server, for all tests of a contract. */
final class SqlFixture implements AutoCloseable {

  private final SqlServer server;
  private final Database database;
  private final String url;

  private SqlFixture(SqlServer server, Database database, String url) {
    this.server = server;
    this.database = database;
    this.url = url;
  }

  /** As a user who may do anything in a database where nothing is yet. */
  static SqlFixture on(SqlServer server) throws SQLException {
    Database database = server.newDatabase();
    return new SqlFixture(server, database, database.url());
  }

  /** As a user who may only read and write rows, with tables made from the file that we ship. */
  static SqlFixture withoutDdl(SqlServer server, Dialect dialect) throws SQLException {
    Database database = server.newDatabase();
    database.execute(Schema.statements(dialect));
    Database rowsOnly = database.withoutDdl();
    if (mayMakeTables(rowsOnly)) {
      throw new AssertionError("this user may make tables");
    }
    return new SqlFixture(server, database, rowsOnly.url() + "&holdfast.create-tables=false");
  }

  StoreFixture store() {
    return new UrlFixture(url, server::restart);
  }

  @Override
  public void close() {
    database.close();
  }

  private static boolean mayMakeTables(Database database) {
    try {
      database.execute(List.of("CREATE TABLE refused (id INT)"));
      return true;
    } catch (SQLException refused) {
      return false;
    }
  }
}
