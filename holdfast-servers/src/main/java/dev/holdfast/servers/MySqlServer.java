package dev.holdfast.servers;

import dev.holdfast.servers.process.Recipe;
import dev.holdfast.servers.process.ServerProcess;
import dev.holdfast.servers.program.Archive;
import dev.holdfast.servers.program.Commands;
import dev.holdfast.servers.program.Programs;
import dev.holdfast.servers.program.ServerCache;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** MySQL: the machine's own, or the one that Maven carries. */
public final class MySqlServer extends MySqlFamily {

  private MySqlServer(ServerProcess process, Credentials admin) {
    super("mysql", process, admin, List.of());
  }

  private MySqlServer(String url) {
    super(url);
  }

  /** The server that the tests of this JVM share. */
  public static MySqlServer shared() {
    return Shared.SERVER;
  }

  /** A server of one's own, with options as on the command line: {@code --name=value}. */
  public static MySqlServer start(String... options) {
    Credentials admin = Credentials.of("admin");
    return new MySqlServer(ServerProcess.start(new MySql(admin, List.of(options))), admin);
  }

  /** Shows that the program can run here: it needs libraries that may be missing. */
  static String version() throws IOException {
    return Commands.run(List.of(MySql.program().get(0), "--no-defaults", "--version"));
  }

  /** Initialised once for all that tests share. */
  private static final class Shared {
    static final MySqlServer SERVER =
        Server.MYSQL.url().map(MySqlServer::new).orElseGet(MySqlServer::start);
  }

  /** How MySQL is started. */
  private record MySql(Credentials admin, List<String> options) implements Recipe {

    @Override
    public String name() {
      return "mysql";
    }

    @Override
    public void prepare(Path data) throws IOException {
      // It takes seconds to make the first files, and they are the same each time.
      String version = version().replaceFirst("(?s).* Ver ([\\w.-]+).*", "$1");
      Path made = ServerCache.folder("mysql-data-" + version, MySql::initialize);
      Commands.run(List.of("cp", "-a", made + "/.", data.toString()));
    }

    private static void initialize(Path data) throws IOException {
      List<String> command = on(data);
      command.add("--initialize-insecure");
      Commands.run(command);
    }

    @Override
    public List<String> command(Path data, int port) throws IOException {
      List<String> command = on(data);
      command.add(temporary(data));
      command.addAll(running(data, port, admin));
      command.addAll(List.of("--mysqlx=OFF", "--skip-log-bin", "--performance-schema=OFF"));
      command.addAll(options);
      return command;
    }

    @Override
    public void ask(int port) throws Exception {
      String url = "jdbc:mysql://127.0.0.1:" + port + "/";
      DriverManager.getConnection(url, admin.user(), admin.password()).close();
    }

    private static List<String> program() throws IOException {
      Optional<Path> installed = Programs.find("mysqld");
      // MariaDB calls its server by this name, too, but only as a link.
      if (installed.isPresent() && !Files.isSymbolicLink(installed.get())) {
        return List.of(installed.get().toString(), "--no-defaults");
      }
      Path base = Archive.unpacked("mysql-Linux-amd64.tar.gz");
      return List.of(
          base.resolve("bin").resolve("mysqld").toString(), "--no-defaults", "--basedir=" + base);
    }

    private static List<String> on(Path data) throws IOException {
      List<String> command = new ArrayList<>(program());
      command.add("--datadir=" + data);
      command.add("--innodb-redo-log-capacity=8M");
      command.addAll(asWhoeverWeAre());
      return command;
    }
  }
}
