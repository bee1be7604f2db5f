package dev.holdfast.jdbc;

import dev.holdfast.Consistency;
import dev.holdfast.StoreException;
import dev.holdfast.Traits;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.support.StoreUrl;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import javax.sql.DataSource;

/**
 * Connections of a data source. The caller's are taken for one operation and given back as they
 * came. Those of a pool of our own are kept for a while between operations, with the statements
 * prepared on them: a pool tests what has been idle before it hands it out, a round trip each time.
 *
 * <p>Safe for any threads.
 */
final class DataSourceConnections implements Connections {

  /**
   * How a data source wants to be treated.
   *
   * @param keep how long a connection may be kept without use before it goes back
   * @param restore whether it goes back as it came
   * @param evict drops a connection that is broken
   */
  record Manners(Duration keep, boolean restore, Consumer<Connection> evict) {}

  /** Of the caller's nothing is kept; what is broken, its pool finds out. */
  static final Manners THE_CALLERS = new Manners(Duration.ZERO, true, connection -> {});

  /** Then it goes back even if it is in use all the time: a pool wants to renew its connections. */
  private static final Duration LONGEST_LOAN = Duration.ofMinutes(10);

  private static final System.Logger LOG = System.getLogger(DataSourceConnections.class.getName());

  /** A session in use or kept. */
  private record Loan(long since, Dialect.Restore restore) {}

  private final DataSource dataSource;
  private final Manners manners;
  private final String url;
  private final Dialect dialect;
  private final String rawUrl;
  private final boolean takesScripts;
  private final Schema schema;
  private final ConcurrentHashMap<Session, Loan> loans = new ConcurrentHashMap<>();
  private final ConcurrentLinkedDeque<Session> kept = new ConcurrentLinkedDeque<>();

  // Mutable state
  private volatile boolean hasTables;
  private volatile boolean closed;

  private DataSourceConnections(
      DataSource dataSource, Manners manners, Connection first, JdbcOptions options)
      throws SQLException {
    this.dataSource = dataSource;
    this.manners = manners;
    rawUrl = String.valueOf(first.getMetaData().getURL());
    url = StoreUrl.redact(rawUrl);
    dialect = Dialect.of(first);
    dialect.check(first.getMetaData());
    if (first.isReadOnly()) {
      throw new StoreException(
          "", "Cannot use " + url + ": the data source gives read-only connections.");
    }
    takesScripts = dialect.takesScripts(first);
    schema = new Schema(url, dialect, options.createTables());
  }

  /**
   * Asks the database what it is.
   *
   * @throws IllegalArgumentException if it is not one that Holdfast knows
   * @throws StoreException if it cannot be reached or used
   */
  static DataSourceConnections of(
      DataSource dataSource, Manners manners, JdbcOptions options, Duration timeout) {
    FutureTask<DataSourceConnections> asking =
        new FutureTask<>(
            () -> {
              try (Connection first = first(dataSource, Limits.deadline(timeout))) {
                return new DataSourceConnections(dataSource, manners, first, options);
              }
            });
    // In a thread of its own: nobody knows how long a data source makes its callers wait.
    Thread thread = new Thread(asking, "holdfast-jdbc-opening");
    thread.setDaemon(true);
    thread.start();
    try {
      return asking.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw noConnection("none within " + timeout, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw noConnection("interrupted", e);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      if (cause instanceof RuntimeException refused) {
        throw refused;
      }
      throw noConnection(Redaction.message(cause), Redaction.of(cause));
    }
  }

  /** A pool that has none after its own time-out is asked again. */
  private static Connection first(DataSource dataSource, Deadline deadline) throws SQLException {
    while (true) {
      try {
        return dataSource.getConnection();
      } catch (SQLTransientConnectionException none) {
        if (deadline.isOver()) {
          throw none;
        }
      }
    }
  }

  Dialect dialect() {
    return dialect;
  }

  /**
   * How to get at the database through these.
   *
   * @param notifications has a connection to listen on, should that be wanted
   */
  Access access(JdbcOptions options, DataSource notifications) {
    boolean listens = options.listen() && dialect.announcement() != null;
    Traits.Builder traits = dialect.traits(rawUrl);
    if (listens) {
      traits.pushes();
    }
    if (options.linearizable()) {
      traits.consistency(Consistency.LINEARIZABLE);
    }
    return new Access(
        url,
        dialect,
        traits.build(),
        this,
        Math.min(options.connections(), dialect.connections()),
        listens ? notifications : null);
  }

  @Override
  public Session take(int millis) throws SQLException {
    Session known = kept.pollFirst();
    if (known != null) {
      if (!isOld(known) && !isIdle(known)) {
        return known;
      }
      evict(known); // perhaps it has broken since, and it must not be asked
    }
    return open(millis);
  }

  @Override
  public void giveBack(Session session) throws SQLException {
    if (closed || manners.keep().isZero() || isOld(session)) {
      release(session);
    } else {
      session.forget();
      kept.addFirst(session);
    }
  }

  /** With all that are kept: what broke one has most likely broken all. */
  @Override
  public void discard(Session session) {
    evict(session);
    for (Session other = kept.poll(); other != null; other = kept.poll()) {
      evict(other);
    }
  }

  /** The data source is its owner's. */
  @Override
  public void close() {
    closed = true;
    for (Session session = kept.poll(); session != null; session = kept.poll()) {
      try {
        release(session);
      } catch (SQLException e) {
        LOG.log(Level.DEBUG, "Giving back a connection at the end", e);
      }
    }
  }

  private Session open(int millis) throws SQLException {
    Connection connection = dataSource.getConnection();
    Session session = new Session(connection, dialect, takesScripts);
    try {
      loans.put(session, new Loan(System.nanoTime(), dialect.prepare(connection, millis)));
      if (!hasTables) {
        schema.ensure(session);
        hasTables = true;
      }
      return session;
    } catch (SQLException | RuntimeException e) {
      discard(session);
      if (e instanceof SQLException failure && !hasTables && !dialect.isRetryable(failure)) {
        String why = Redaction.text(dialect.explain(failure));
        throw new StoreException("", "Cannot use " + url + ": " + why + ".", Redaction.of(failure));
      }
      throw e;
    }
  }

  private void evict(Session session) {
    try {
      manners.evict().accept(session.connection());
      release(session);
    } catch (SQLException | RuntimeException e) { // what a pool throws that has dropped it already
      LOG.log(Level.DEBUG, "Giving back a connection after a failure", e);
    }
  }

  private boolean isOld(Session session) {
    Loan loan = loans.get(session);
    return loan == null || System.nanoTime() - loan.since() >= LONGEST_LOAN.toNanos();
  }

  private boolean isIdle(Session session) {
    return System.nanoTime() - session.lastUsed() >= manners.keep().toNanos();
  }

  private void release(Session session) throws SQLException {
    try (Connection connection = session.connection()) {
      Loan loan = loans.remove(session);
      session.close();
      if (loan != null && manners.restore()) {
        loan.restore().run();
      }
    }
  }

  private static StoreException noConnection(String why, Throwable cause) {
    return new StoreException("", "No connection from the data source: " + why, cause);
  }
}
