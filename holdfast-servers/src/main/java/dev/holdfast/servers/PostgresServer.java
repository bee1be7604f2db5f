package dev.holdfast.servers;

import dev.holdfast.servers.process.Recipe;
import dev.holdfast.servers.process.ServerProcess;
import dev.holdfast.servers.program.Archive;
import dev.holdfast.servers.program.Commands;
import dev.holdfast.servers.program.Programs;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** PostgreSQL: the machine's own, or the one that Maven carries. */
public final class PostgresServer extends SqlServer {

  private static final String DATABASE = "postgres";

  PostgresServer(ServerProcess process, Credentials admin) {
    super("postgresql", process, DATABASE, admin, List.of());
  }

  private PostgresServer(String url) {
    super(url);
  }

  /** The server that the tests of this JVM share. */
  public static PostgresServer shared() {
    return Shared.SERVER;
  }

  /** A server of one's own, with settings as in {@code postgresql.conf}: {@code name=value}. */
  public static PostgresServer start(String... settings) {
    return start(Credentials.of("admin"), settings);
  }

  static PostgresServer start(Credentials admin, String... settings) {
    return new PostgresServer(ServerProcess.start(new Postgres(admin, List.of(settings))), admin);
  }

  /** Shows that the program can run here. */
  static String version() throws IOException {
    String program = Postgres.program("postgres").toString();
    return Commands.run(Commands.notAsRoot(List.of(program, "--version")));
  }

  @Override
  String socketTimeout() {
    return "10";
  }

  @Override
  List<String> createDatabase(String name, Credentials owner) {
    return List.of(
        "CREATE ROLE " + owner.user() + " LOGIN PASSWORD '" + owner.password() + "'",
        // As the owner's member, an administrator without superuser rights may give it away.
        "GRANT " + owner.user() + " TO CURRENT_USER",
        "CREATE DATABASE " + name + " OWNER " + owner.user());
  }

  @Override
  List<String> createGuest(String database, String owner, Credentials guest) {
    String rows = " GRANT SELECT, INSERT, UPDATE, DELETE ON ";
    return List.of(
        "CREATE ROLE " + guest.user() + " LOGIN PASSWORD '" + guest.password() + "'",
        // Before version 15 everybody may make tables.
        "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
        "GRANT CREATE ON SCHEMA public TO " + owner,
        rows.strip() + " ALL TABLES IN SCHEMA public TO " + guest.user(),
        "ALTER DEFAULT PRIVILEGES FOR ROLE "
            + owner
            + " IN SCHEMA public"
            + rows
            + "TABLES TO "
            + guest.user());
  }

  @Override
  String dropDatabase(String name) {
    return "DROP DATABASE " + name + " WITH (FORCE)";
  }

  @Override
  String dropUser(String user) {
    return "DROP ROLE " + user;
  }

  /** Initialised once for all that tests share. */
  private static final class Shared {
    static final PostgresServer SERVER =
        Server.POSTGRESQL.url().map(PostgresServer::new).orElseGet(PostgresServer::start);
  }

  /** How PostgreSQL is started. */
  record Postgres(Credentials admin, List<String> settings) implements Recipe {

    @Override
    public String name() {
      return "postgresql";
    }

    @Override
    public void prepare(Path data) throws IOException {
      Path password = secret(data, "password", admin.password());
      Commands.run(
          Commands.notAsRoot(
              List.of(
                  program("initdb").toString(),
                  "--pgdata=" + data,
                  "--username=" + admin.user(),
                  "--pwfile=" + password,
                  "--auth=scram-sha-256",
                  "--encoding=UTF8",
                  "--locale=C",
                  "--no-sync")));
    }

    @Override
    public List<String> command(Path data, int port) throws IOException {
      List<String> command = new ArrayList<>();
      command.add(program("postgres").toString());
      command.addAll(List.of("-D", data.toString(), "-p", Integer.toString(port)));
      List<String> all = new ArrayList<>();
      all.add("listen_addresses=127.0.0.1");
      all.add("unix_socket_directories=");
      // A killed process loses nothing that the system has taken; only the machine's end would.
      all.add("fsync=off");
      all.add("max_connections=200");
      all.add("shared_buffers=32MB");
      all.addAll(settings);
      all.forEach(setting -> command.addAll(List.of("-c", setting)));
      return command;
    }

    @Override
    public boolean refusesRoot() {
      return true;
    }

    @Override
    public void ask(int port) throws Exception {
      String url = "jdbc:postgresql://127.0.0.1:" + port + "/" + DATABASE;
      DriverManager.getConnection(url, admin.user(), admin.password()).close();
    }

    @Override
    public String stopSignal() {
      return "INT"; // killed, it would leave a shared memory segment
    }

    private static Path program(String name) throws IOException {
      // Not one from the machine and one from Maven: versions must not be mixed.
      Optional<Path> installed = Programs.find("postgres");
      return installed.isPresent()
          ? installed.get().toRealPath().resolveSibling(name)
          : Archive.unpacked("postgres-linux-x86_64.txz").resolve("bin").resolve(name);
    }
  }
}
