package dev.holdfast.servers;

import dev.holdfast.servers.process.Recipe;
import dev.holdfast.servers.process.ServerProcess;
import dev.holdfast.servers.program.Commands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * A PostgreSQL primary and a standby that follows it by streaming replication. To fail over, kill
 * the primary and {@link #promote} the standby.
 *
 * <p><b>Threads.</b> One at a time.
 */
public final class PostgresPair implements AutoCloseable {

  private final PostgresServer primary;
  private final PostgresServer standby;

  private PostgresPair(PostgresServer primary, PostgresServer standby) {
    this.primary = primary;
    this.standby = standby;
  }

  /** A pair whose standby may lag: what it has not received is lost when the primary dies. */
  public static PostgresPair start() throws SQLException {
    return start("");
  }

  /** A pair whose primary confirms a commit only when the standby has it: nothing is lost. */
  public static PostgresPair startSynchronous() throws SQLException {
    return start("*");
  }

  private static PostgresPair start(String synchronousStandbys) throws SQLException {
    Credentials admin = Credentials.of("admin");
    // A standby that has not yet connected must find all of the log.
    PostgresServer primary = PostgresServer.start(admin, "wal_keep_size=256MB");
    primary.process().stop();
    Recipe copy =
        new Standby(new PostgresServer.Postgres(admin, List.of()), primary.data(), primary.port());
    PostgresServer standby = new PostgresServer(ServerProcess.start(copy), admin);
    primary.restart();
    Database.execute(
        primary.admin(),
        List.of(
            "ALTER SYSTEM SET synchronous_standby_names = '" + synchronousStandbys + "'",
            "SELECT pg_reload_conf()"));
    return new PostgresPair(primary, standby);
  }

  /** The server that is the primary at first. */
  public PostgresServer primary() {
    return primary;
  }

  /** The server that follows it. */
  public PostgresServer standby() {
    return standby;
  }

  /** Makes a database on the primary; the standby follows. */
  public Database newDatabase() throws SQLException {
    return primary.newDatabase();
  }

  /** The URL of a database of this pair, wherever its primary is. */
  public String url(Database database) {
    String first = "127.0.0.1:" + primary.port();
    return database.url().replace(first, first + ",127.0.0.1:" + standby.port())
        + "&targetServerType=primary";
  }

  /** Makes the standby a primary, and waits until it takes writes. */
  public void promote() throws SQLException {
    try (Connection admin = standby.admin();
        Statement statement = admin.createStatement();
        ResultSet answer = statement.executeQuery("SELECT pg_promote(true, 60)")) {
      if (!answer.next() || !answer.getBoolean(1)) {
        throw new IllegalStateException("the standby was not promoted");
      }
    }
  }

  @Override
  public void close() {
    standby.close();
    primary.close();
  }

  /**
   * How a standby is started: on a copy of the files of a primary that is stopped, because the
   * program that copies those of a running one is not in every package.
   */
  private record Standby(PostgresServer.Postgres postgres, Path primaryData, int primaryPort)
      implements Recipe {

    @Override
    public String name() {
      return "postgresql-standby";
    }

    @Override
    public void prepare(Path data) throws IOException {
      Commands.run(List.of("cp", "-a", primaryData + "/.", data.toString()));
      Files.createFile(data.resolve("standby.signal"));
      Files.writeString(
          data.resolve("postgresql.auto.conf"),
          "primary_conninfo = 'host=127.0.0.1 port=%d user=%s password=%s'%n"
              .formatted(primaryPort, postgres.admin().user(), postgres.admin().password()),
          StandardOpenOption.APPEND);
    }

    @Override
    public List<String> command(Path data, int port) throws IOException {
      return postgres.command(data, port);
    }

    @Override
    public void ask(int port) throws Exception {
      postgres.ask(port);
    }

    @Override
    public boolean refusesRoot() {
      return postgres.refusesRoot();
    }

    @Override
    public String stopSignal() {
      return postgres.stopSignal();
    }
  }
}
