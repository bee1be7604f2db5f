package dev.holdfast.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;

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
      List<String> command = new ArrayList<>(program(data));
      command.add("--initialize-insecure");
      Commands.run(command);
    }

    @Override
    public List<String> command(Path data, int port) throws IOException {
      List<String> command = new ArrayList<>(program(data));
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

    private static List<String> program(Path data) throws IOException {
      List<String> command = new ArrayList<>();
      var installed = Programs.find("mysqld").map(Path::toAbsolutePath);
      // MariaDB calls its server by this name, too.
      if (installed.isPresent() && !Files.isSymbolicLink(installed.get())) {
        command.addAll(List.of(installed.get().toString(), "--no-defaults"));
      } else {
        Path base = Archive.unpacked("mysql-Linux-amd64.tar.gz");
        command.addAll(List.of(base.resolve("bin/mysqld").toString(), "--no-defaults"));
        command.add("--basedir=" + base);
      }
      command.add("--datadir=" + data);
      command.addAll(asWhoeverWeAre());
      return command;
    }
  }
}
