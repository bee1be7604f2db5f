package dev.holdfast.jdbc;

import java.nio.file.Path;
import java.sql.SQLException;
import org.h2.tools.Server;

/** H2 as a server in this process, with one database in a directory. */
final class H2Server implements AutoCloseable {

  private final Path directory;

  // Mutable state
  private Server server;

  H2Server(Path directory) {
    this.directory = directory;
    start("0");
  }

  String url() {
    return "jdbc:h2:tcp://localhost:" + server.getPort() + "/locks;USER=sa;PASSWORD=hunter2";
  }

  void restart() {
    String port = Integer.toString(server.getPort());
    server.stop();
    start(port);
  }

  @Override
  public void close() {
    server.stop();
  }

  private void start(String port) {
    try {
      server =
          Server.createTcpServer("-tcpPort", port, "-ifNotExists", "-baseDir", directory.toString())
              .start();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
