package dev.holdfast.servers;

import dev.holdfast.servers.process.ServerProcess;
import dev.holdfast.servers.program.Commands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What MySQL and MariaDB have in common. */
abstract sealed class MySqlFamily extends SqlServer permits MySqlServer, MariaDbServer {

  private static final String DATABASE = "mysql";

  MySqlFamily(String scheme, ServerProcess process, Credentials admin, List<String> options) {
    super(scheme, process, DATABASE, admin, options);
  }

  MySqlFamily(String url) {
    super(url);
  }

  @Override
  String socketTimeout() {
    return "10000";
  }

  @Override
  List<String> createDatabase(String name, Credentials owner) {
    return List.of(
        "CREATE DATABASE " + name,
        "CREATE USER " + owner.user() + "@'%' IDENTIFIED BY '" + owner.password() + "'",
        "GRANT ALL ON " + name + ".* TO " + owner.user() + "@'%'");
  }

  @Override
  List<String> createGuest(String database, String owner, Credentials guest) {
    return List.of(
        "CREATE USER " + guest.user() + "@'%' IDENTIFIED BY '" + guest.password() + "'",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON " + database + ".* TO " + guest.user() + "@'%'");
  }

  @Override
  String dropDatabase(String name) {
    return "DROP DATABASE " + name;
  }

  @Override
  String dropUser(String user) {
    return "DROP USER " + user + "@'%'";
  }

  /** The options that both have when they run. */
  static List<String> running(Path data, int port, Credentials admin) throws IOException {
    // No client can log in as root: it is known by the name "localhost", which no address has here,
    // and the
    // socket lies in a folder that is ours alone.
    Path init =
        secret(
            data,
            "init.sql",
            """
            CREATE USER IF NOT EXISTS %1$s@'%%' IDENTIFIED BY '%2$s';
            GRANT ALL ON *.* TO %1$s@'%%' WITH GRANT OPTION;
            """
                .formatted(admin.user(), admin.password()));
    return List.of(
        "--port=" + port,
        "--bind-address=127.0.0.1",
        "--skip-name-resolve",
        "--socket=" + data.resolveSibling("socket"),
        "--pid-file=" + data.resolveSibling("pid"),
        "--init-file=" + init,
        "--max-connections=300",
        "--innodb-buffer-pool-size=32M",
        // A killed process loses nothing that the system has taken; only the machine's end would.
        "--innodb-flush-log-at-trx-commit=2");
  }

  /**
   * A folder for temporary tables, for a server that runs or makes its data: one that starts
   * removes all that are in it, its neighbours' too.
   */
  static String temporary(Path data) throws IOException {
    return "--tmpdir=" + Files.createDirectories(data.resolveSibling("temporary"));
  }

  /** Both refuse to run as root without this option. */
  static List<String> asWhoeverWeAre() {
    return Commands.isRoot() ? List.of("--user=root") : List.of();
  }
}
