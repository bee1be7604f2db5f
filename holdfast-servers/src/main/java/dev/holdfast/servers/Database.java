package dev.holdfast.servers;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * An empty database made for a test, with its own user, who has all rights in it. Closing it drops
 * it. Thread-safe.
 */
public final class Database implements AutoCloseable {

  private final SqlServer server;
  private final Credentials credentials;
  private final String name;
  private final boolean owned;

  // Mutable state
  private final List<String> guests = new CopyOnWriteArrayList<>();

  Database(SqlServer server, String name, Credentials credentials, boolean owned) {
    this.server = server;
    this.name = name;
    this.credentials = credentials;
    this.owned = owned;
  }

  /** Its JDBC URL, with user and password. */
  public String url() {
    return server.url(name, credentials);
  }

  /** Its JDBC URL, without user and password. */
  public String plainUrl() {
    return server.url(name);
  }

  /** The user, who has all rights in it. */
  public String user() {
    return credentials.user();
  }

  /** The user's password. */
  public String password() {
    return credentials.password();
  }

  /** What it is called. */
  public String name() {
    return name;
  }

  /** A new connection as its user. */
  public Connection connect() throws SQLException {
    return DriverManager.getConnection(url());
  }

  /** Runs statements as its user. */
  public void execute(List<String> statements) throws SQLException {
    try (Connection connection = connect()) {
      execute(connection, statements);
    }
  }

  /**
   * The same database, seen by a new user who may read and write the rows of its tables, those that
   * will be made by its own user included, but may not make, change or drop a table.
   */
  public Database withoutDdl() throws SQLException {
    Credentials guest = Credentials.random();
    execute(server.admin(name), server.createGuest(name, credentials.user(), guest));
    guests.add(guest.user());
    return new Database(server, name, guest, false);
  }

  /** Drops it and its users, if the server is there; for a user without DDL rights, nothing. */
  @Override
  public void close() {
    if (!owned) {
      return;
    }
    List<String> end = new ArrayList<>(List.of(server.dropDatabase(name)));
    end.add(server.dropUser(credentials.user()));
    guests.forEach(guest -> end.add(server.dropUser(guest)));
    try (Connection admin = server.admin()) {
      execute(admin, end);
    } catch (SQLException serverIsGone) {
      // With the server its databases are gone, too.
    }
  }

  static void execute(Connection connection, List<String> statements) throws SQLException {
    try (connection;
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }
}
