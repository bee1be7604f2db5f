package dev.holdfast.servers;

import dev.holdfast.servers.process.Recipe;
import dev.holdfast.servers.process.ServerProcess;
import dev.holdfast.servers.program.Commands;
import dev.holdfast.servers.program.Programs;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;

/** MariaDB: the machine's own. */
public final class MariaDbServer extends MySqlFamily {

  // The driver insists on TLS, which the server does not speak before version 11.4 without
  // certificates.
  private static final String NO_TLS = "sslMode=disable";

  private MariaDbServer(ServerProcess process, Credentials admin) {
    super("mariadb", process, admin, List.of(NO_TLS));
  }

  private MariaDbServer(String url) {
    super(url);
  }

  /** The server that the tests of this JVM share. */
  public static MariaDbServer shared() {
    return Shared.SERVER;
  }

  /** A server of one's own, with options as on the command line: {@code --name=value}. */
  public static MariaDbServer start(String... options) {
    Credentials admin = Credentials.of("admin");
    return new MariaDbServer(ServerProcess.start(new MariaDb(admin, List.of(options))), admin);
  }

  /** Initialised once for all that tests share. */
  private static final class Shared {
    static final MariaDbServer SERVER =
        Server.MARIADB.url().map(MariaDbServer::new).orElseGet(MariaDbServer::start);
  }

  /** How MariaDB is started. */
  private record MariaDb(Credentials admin, List<String> options) implements Recipe {

    @Override
    public String name() {
      return "mariadb";
    }

    @Override
    public void prepare(Path data) throws IOException {
      List<String> command = new ArrayList<>();
      command.addAll(List.of(Programs.get("mariadb-install-db").toString(), "--no-defaults"));
      command.addAll(List.of("--datadir=" + data, temporary(data), "--skip-test-db"));
      command.add("--auth-root-authentication-method=normal");
      command.addAll(asWhoeverWeAre());
      Commands.run(command);
    }

    @Override
    public List<String> command(Path data, int port) throws IOException {
      List<String> command = new ArrayList<>();
      command.addAll(List.of(Programs.get("mariadbd").toString(), "--no-defaults"));
      command.addAll(List.of("--datadir=" + data, temporary(data)));
      command.addAll(asWhoeverWeAre());
      command.addAll(running(data, port, admin));
      command.addAll(options);
      return command;
    }

    @Override
    public void ask(int port) throws Exception {
      String url = "jdbc:mariadb://127.0.0.1:" + port + "/?" + NO_TLS;
      DriverManager.getConnection(url, admin.user(), admin.password()).close();
    }
  }
}
