package dev.holdfast.jdbc.connection;

import dev.holdfast.StoreException;
import dev.holdfast.Traits;
import dev.holdfast.jdbc.dialect.Dialects;
import dev.holdfast.jdbc.sql.ConnectionPool;
import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.jdbc.sql.Limits;
import dev.holdfast.jdbc.sql.Redaction;
import dev.holdfast.jdbc.sql.Schema;
import dev.holdfast.jdbc.sql.StoreConnection;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.support.StoreUrl;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Connections to a database. The caller's are taken from its data source for one operation and
 * returned unchanged. Our own are kept between operations for a while, with their prepared
 * statements, and are not tested before use, which would be a round trip each time.
 *
 * <p>Thread-safe.
 */
public final class DatabasePool implements ConnectionPool {

  /** How long our own connections are kept unused. The caller's are not kept. */
  private static final Duration KEEP = Duration.ofSeconds(30);

  /** The longest time in use: servers and proxies end old connections. */
  private static final Duration LONGEST_USE = Duration.ofMinutes(10);

  private static final System.Logger LOG = System.getLogger(DatabasePool.class.getName());

  private final Source source;
  private final boolean ours;
  private final String url;
  private final Dialect dialect;
  private final String rawUrl;
  private final boolean takesScripts;
  private final Schema schema;
  private final ConcurrentLinkedDeque<StoreConnection> kept = new ConcurrentLinkedDeque<>();

  // Mutable state
  private final AtomicReference<@Nullable Connection> first = new AtomicReference<>();
  private volatile boolean hasTables;
  private volatile boolean closed;

  private DatabasePool(
      Source source,
      boolean ours,
      String rawUrl,
      Dialect dialect,
      boolean scripts,
      boolean create) {
    this.source = source;
    this.ours = ours;
    this.rawUrl = rawUrl;
    url = StoreUrl.redact(rawUrl);
    this.dialect = dialect;
    takesScripts = scripts;
    schema = new Schema(url, dialect, create);
  }

  private static DatabasePool of(Source source, boolean ours, Connection first, boolean create)
      throws SQLException {
    String rawUrl = String.valueOf(first.getMetaData().getURL());
    Dialect dialect = Dialects.of(first);
    dialect.check(first.getMetaData());
    if (first.isReadOnly()) {
      throw new StoreException(
          "",
          "Cannot use "
              + StoreUrl.redact(rawUrl)
              + ": the data source gives read-only connections.");
    }
    return new DatabasePool(source, ours, rawUrl, dialect, dialect.takesScripts(first), create);
  }

  /** Our own connections to a file, which is created if need be. */
  public static DatabasePool ofFile(Source source, String url, Dialect dialect) {
    return new DatabasePool(source, true, url, dialect, false, true);
  }

  /**
   * Our own connections; finds out which database it is.
   *
   * @param first is taken over
   * @throws IllegalArgumentException if it is not supported
   * @throws StoreException if it cannot be used
   */
  public static DatabasePool ofOurs(Source source, Connection first, boolean createTables)
      throws SQLException {
    try {
      DatabasePool pool = of(source, true, first, createTables);
      pool.first.set(first);
      return pool;
    } catch (SQLException | RuntimeException e) {
      first.close();
      throw e;
    }
  }

  /**
   * The caller's connections; finds out which database it is.
   *
   * @throws IllegalArgumentException if it is not supported
   * @throws StoreException if it cannot be reached or used
   */
  public static DatabasePool ofCallers(
      DataSource dataSource, boolean createTables, Duration timeout) {
    FutureTask<DatabasePool> asking =
        new FutureTask<>(
            () -> {
              try (Connection first = first(dataSource, Limits.deadline(timeout))) {
                return of(dataSource::getConnection, false, first, createTables);
              }
            });
    // In a separate thread: a data source may make its callers wait for any time.
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

  /** Asks again if a pool has no connection after its own time-out. */
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

  public Dialect dialect() {
    return dialect;
  }

  /** The database's URL as messages show it, without secrets. */
  public String url() {
    return url;
  }

  /** What a store in this database can do. */
  public Traits.Builder traits() {
    return dialect.traits(rawUrl);
  }

  @Override
  public StoreConnection take(int millis) throws SQLException {
    StoreConnection known = kept.pollFirst();
    if (known == null) {
      return open(millis);
    }
    if (!source.isCurrent()) {
      hasTables = false;
      evict(known);
      return open(millis);
    }
    if (!isOld(known) && !isIdle(known)) {
      return known;
    }
    // Perhaps it has broken since, and it must not be asked. But H2 forgets a database in memory
    // when its last connection is closed.
    try {
      return open(millis);
    } finally {
      evict(known);
    }
  }

  @Override
  public void giveBack(StoreConnection connection) throws SQLException {
    if (closed || !ours) {
      release(connection);
    } else {
      connection.forget();
      kept.addFirst(connection);
    }
  }

  /** With all that are kept: what broke one has most likely broken all. */
  @Override
  public void discard(StoreConnection connection) {
    evict(connection);
    for (StoreConnection other = kept.poll(); other != null; other = kept.poll()) {
      evict(other);
    }
  }

  /** A data source is its owner's. */
  @Override
  public void close() {
    closed = true;
    for (StoreConnection connection = kept.poll(); connection != null; connection = kept.poll()) {
      try {
        release(connection);
      } catch (SQLException e) {
        LOG.log(Level.DEBUG, "Giving back a connection at the end", e);
      }
    }
  }

  private StoreConnection open(int millis) throws SQLException {
    Connection connection = connect();
    StoreConnection opened = new StoreConnection(connection, dialect, takesScripts);
    try {
      opened.setUp(millis);
      if (!hasTables) {
        schema.ensure(opened);
        hasTables = true;
      }
      return opened;
    } catch (SQLException | RuntimeException e) {
      discard(opened);
      if (e instanceof SQLException failure && !hasTables && !dialect.isRetryable(failure)) {
        String why = Redaction.text(dialect.explain(failure));
        throw new StoreException("", "Cannot use " + url + ": " + why + ".", Redaction.of(failure));
      }
      throw e;
    }
  }

  private Connection connect() throws SQLException {
    Connection ready = first.getAndSet(null);
    if (ready != null) {
      return ready;
    }
    try {
      return source.open();
    } catch (SQLException e) {
      // A server that takes no connection now may take one before the deadline.
      throw ours && hasTables
          ? new SQLTransientConnectionException(
              e.getMessage(), e.getSQLState(), e.getErrorCode(), e)
          : e;
    }
  }

  private void evict(StoreConnection connection) {
    try {
      release(connection);
    } catch (SQLException | RuntimeException e) { // what a pool throws that has dropped it already
      LOG.log(Level.DEBUG, "Giving back a connection after a failure", e);
    }
  }

  private boolean isOld(StoreConnection connection) {
    return System.nanoTime() - connection.opened() >= LONGEST_USE.toNanos();
  }

  private boolean isIdle(StoreConnection connection) {
    return System.nanoTime() - connection.lastUsed() >= KEEP.toNanos();
  }

  private void release(StoreConnection connection) throws SQLException {
    try (Connection jdbc = connection.jdbc()) {
      connection.close();
      if (!ours) {
        connection.restore();
      }
    }
  }

  private static StoreException noConnection(String why, Throwable cause) {
    return new StoreException("", "No connection from the data source: " + why, cause);
  }
}
