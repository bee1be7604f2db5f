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
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * One statement takes a free lock and counts its grants, one releases it if it is still ours: two
 * round trips, on a connection for each thread, with statements that the server has prepared.
 */
final class SqlFloor implements Client {

  static final String TABLE =
      "CREATE TABLE floor_lock (name VARCHAR(64) PRIMARY KEY, owner CHAR(36), token BIGINT NOT NULL,"
          + " until TIMESTAMP NOT NULL)";

  private static final String RELEASE =
      "UPDATE floor_lock SET owner = NULL WHERE name = ? AND owner = ?";

  private static final int SEPARATE_THREADS = 2;

  private final String url;
  private final SqlDialect dialect;
  private final ThreadLocal<Session> ofThread = new ThreadLocal<>();
  private final Queue<Session> sessions = new ConcurrentLinkedQueue<>();

  private SqlFloor(String url, SqlDialect dialect) {
    this.url = url + dialect.preparedByServer;
    this.dialect = dialect;
  }

  static Contender contender(SqlDialect dialect) {
    return Floor.of(url -> new SqlFloor(url, dialect));
  }

  /** The same on two connections, with statements on another thread than the caller's. */
  static Contender limit(SqlDialect dialect) {
    return Floor.limit(
        "on separate threads", url -> Delegated.of(new SqlFloor(url, dialect), SEPARATE_THREADS));
  }

  @Override
  public Mutex mutex(String name) {
    return () -> {
      String owner = UUID.randomUUID().toString();
      long token = ofThread().take(name, owner);
      return Floor.held(token, () -> ofThread().release(name, owner)); // it may be another thread
    };
  }

  @Override
  public void close() throws SQLException {
    for (Session session : sessions) {
      session.connection.close();
    }
  }

  private Session ofThread() throws SQLException {
    Session session = ofThread.get();
    if (session == null) {
      session = new Session(DriverManager.getConnection(url), dialect);
      ofThread.set(session);
      sessions.add(session);
    }
    return session;
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
