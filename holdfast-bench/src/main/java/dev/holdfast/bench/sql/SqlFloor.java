package dev.holdfast.bench.sql;

import dev.holdfast.bench.contender.Client;
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
final class SqlFloor extends Floor {

  static final String TABLE =
      "CREATE TABLE floor_lock (name VARCHAR(64) PRIMARY KEY, owner CHAR(36), token BIGINT NOT NULL,"
          + " until TIMESTAMP NOT NULL)";

  private static final String RELEASE =
      "UPDATE floor_lock SET owner = NULL WHERE name = ? AND owner = ?";

  private static final int CONNECTIONS = 2; // as Holdfast

  private final SqlDialect dialect;

  SqlFloor(SqlDialect dialect) {
    this.dialect = dialect;
  }

  @Override
  public Client open(String url) throws SQLException {
    BlockingDeque<Session> sessions = new LinkedBlockingDeque<>(CONNECTIONS);
    for (int i = 0; i < CONNECTIONS; i++) {
      sessions.add(new Session(DriverManager.getConnection(url)));
    }
    return new Client() {
      @Override
      public Mutex mutex(String name) {
        return () -> {
          String owner = UUID.randomUUID().toString();
          long token = with(sessions, session -> session.take(name, owner));
          return held(token, () -> with(sessions, session -> session.release(name, owner)));
        };
      }

      @Override
      public void close() throws SQLException {
        for (Session session : sessions) {
          session.connection.close();
        }
      }
    };
  }

  /** The connection that was used last comes first: its end at the server is still warm. */
  private static long with(BlockingDeque<Session> sessions, Step step) throws Exception {
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

  private final class Session {
    private final Connection connection;
    private final PreparedStatement take;
    private final PreparedStatement release;

    Session(Connection connection) throws SQLException {
      this.connection = connection;
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
