package dev.holdfast.bench.sql;

import dev.holdfast.bench.contender.Client;
import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Delegated;
import dev.holdfast.bench.contender.Floor;
import dev.holdfast.bench.contender.Mutex;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.UUID;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.LinkedBlockingDeque;

/**
 * One statement takes a free lock and counts its grants, one releases it if it is still ours: two
 * round trips, on two connections that keep their statements.
 */
final class SqlFloor implements Client {

  static final String TABLE =
      "CREATE TABLE floor_lock (name VARCHAR(64) PRIMARY KEY, owner CHAR(36), token BIGINT NOT NULL,"
          + " until TIMESTAMP NOT NULL)";

  private static final String RELEASE =
      "UPDATE floor_lock SET owner = NULL WHERE name = ? AND owner = ?";

  private static final int CONNECTIONS = 2; // as Holdfast

  private final BlockingDeque<Session> sessions = new LinkedBlockingDeque<>(CONNECTIONS);

  private SqlFloor(String url, SqlDialect dialect) throws SQLException {
    for (int i = 0; i < CONNECTIONS; i++) {
      sessions.add(new Session(DriverManager.getConnection(url), dialect));
    }
  }

  static Contender contender(SqlDialect dialect) {
    return Floor.of(url -> new SqlFloor(url, dialect));
  }

  /** The same, with statements on another thread than the caller's, as in Holdfast. */
  static Contender limit(SqlDialect dialect) {
    return Floor.limit(
        "on separate threads", url -> Delegated.of(new SqlFloor(url, dialect), CONNECTIONS));
  }

  @Override
  public Mutex mutex(String name) {
    return () -> {
      String owner = UUID.randomUUID().toString();
      long token = call(session -> session.take(name, owner));
      return Floor.held(token, () -> call(session -> session.release(name, owner)));
    };
  }

  @Override
  public void close() throws SQLException {
    for (Session session : sessions) {
      session.connection.close();
    }
  }

  /** The connection that was used last comes first: its end at the server is still warm. */
  private long call(Step step) throws Exception {
    Session session = sessions.takeFirst();
    try {
      return step.run(session);
    } finally {
      sessions.addFirst(session);
    }
  }

  private interface Step {
    long run(Session session) throws SQLException;
  }

  private static final class Session {
    private final Connection connection;
    private final SqlDialect dialect;
    private final PreparedStatement take;
    private final PreparedStatement release;

    Session(Connection connection, SqlDialect dialect) throws SQLException {
      this.connection = connection;
      this.dialect = dialect;
      this.take = dialect.prepareTake(connection);
      this.release = connection.prepareStatement(RELEASE);
    }

    long take(String name, String owner) throws SQLException {
      take.setString(1, name);
      take.setString(2, owner);
      return dialect.runTake(take);
    }

    long release(String name, String owner) throws SQLException {
      release.setString(1, name);
      release.setString(2, owner);
      return release.executeUpdate();
    }
  }
}
