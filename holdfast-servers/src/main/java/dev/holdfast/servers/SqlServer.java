package dev.holdfast.servers;

import dev.holdfast.servers.process.ServerProcess;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A SQL server for tests. Tests that share one make their own databases on it; those that kill it
 * start their own server.
 *
 * <p><b>Threads.</b> Any thread may make databases; only one at a time may act on the process.
 */
public abstract class SqlServer extends ServerNode {

  private final String prefix;
  private final String adminDatabase;
  private final Credentials admin;
  private final List<String> options;

  /** A server that we start. */
  SqlServer(
      String scheme,
      ServerProcess process,
      String adminDatabase,
      Credentials admin,
      List<String> options) {
    super(process);
    this.prefix = "jdbc:" + scheme + "://127.0.0.1:" + process.port() + "/";
    this.adminDatabase = adminDatabase;
    this.admin = admin;
    this.options = options;
  }

  /** A server that was there: the URL names a database and a user who may make others. */
  SqlServer(String url) {
    super(null);
    URI uri = URI.create(url.substring("jdbc:".length()));
    Map<String, String> query = new LinkedHashMap<>();
    for (String pair : Objects.requireNonNullElse(uri.getQuery(), "").split("&")) {
      String[] parts = pair.split("=", 2);
      query.put(parts[0], parts[parts.length - 1]);
    }
    this.prefix = "jdbc:" + uri.getScheme() + "://" + uri.getAuthority() + "/";
    this.adminDatabase = uri.getPath().substring(1);
    this.admin = new Credentials(removed(query, "user"), removed(query, "password"));
    this.options = query.entrySet().stream().map(Map.Entry::toString).toList();
  }

  /** Makes a database and its own user. */
  public Database newDatabase() throws SQLException {
    String name = "d" + Credentials.letters(12);
    Credentials owner = Credentials.random();
    Database.execute(admin(), createDatabase(name, owner));
    return new Database(this, name, owner, true);
  }

  /** A connection that may do anything on this server. */
  public Connection admin() throws SQLException {
    return admin(adminDatabase);
  }

  /** Ten seconds, in the driver's unit: cleaning up must not wait for a paused server. */
  abstract String socketTimeout();

  abstract List<String> createDatabase(String name, Credentials owner);

  abstract List<String> createGuest(String database, String owner, Credentials guest);

  abstract String dropDatabase(String name);

  abstract String dropUser(String user);

  Connection admin(String database) throws SQLException {
    return DriverManager.getConnection(url(database, admin) + "&socketTimeout=" + socketTimeout());
  }

  String url(String database) {
    return prefix + database + (options.isEmpty() ? "" : "?" + String.join("&", options));
  }

  String url(String database, Credentials who) {
    String plain = url(database);
    String next = options.isEmpty() ? "?" : "&";
    return plain + next + "user=" + who.user() + "&password=" + who.password();
  }

  /** Writes a file that no other user can read, because its folder is private. */
  static Path secret(Path data, String name, String text) throws IOException {
    return Files.writeString(data.resolveSibling(name), text);
  }

  private static String removed(Map<String, String> query, String key) {
    return Objects.requireNonNullElse(query.remove(key), "");
  }
}
