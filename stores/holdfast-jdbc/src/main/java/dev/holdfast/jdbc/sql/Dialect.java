package dev.holdfast.jdbc.sql;

import dev.holdfast.Consistency;
import dev.holdfast.Finding;
import dev.holdfast.StoreException;
import dev.holdfast.Traits;
import dev.holdfast.spi.Tokens;
import dev.holdfast.spi.support.StoreUrl;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The SQL and the behaviour peculiar to one engine. To add an engine, write one dialect and one
 * file of table definitions. What database servers have in common is here: they order changes by
 * row locks, keep time in microseconds, and identify their errors by the states of the SQL
 * standard, more or less.
 *
 * <p>Immutable and thread-safe.
 */
public abstract class Dialect {

  /** Restores the original settings of a connection. */
  @FunctionalInterface
  public interface Restore {
    void run() throws SQLException;
  }

  private final String product;
  private final String tables;
  private final String oldest;

  /**
   * A dialect.
   *
   * @param product as {@link DatabaseMetaData#getDatabaseProductName} spells it
   * @param tables the resource with the table definitions
   * @param oldest the oldest version that has what the statements need
   */
  protected Dialect(String product, String tables, String oldest) {
    this.product = product;
    this.tables = tables;
    this.oldest = oldest;
  }

  public final String product() {
    return product;
  }

  public final String tables() {
    return tables;
  }

  /**
   * Rejects a database in which locks would not exclude, or that lacks what the statements need.
   *
   * @throws IllegalArgumentException or StoreException with the reason
   */
  public void check(DatabaseMetaData about) throws SQLException {
    if (!ServerVersion.isFrom(oldest, about)) {
      throw new StoreException(
          "",
          "Cannot use %s: %s %s is too old; Holdfast needs %s or newer."
              .formatted(
                  StoreUrl.redact(about.getURL()), product, ServerVersion.of(about), oldest));
    }
  }

  /**
   * What a store in this database can do.
   *
   * @param url as the driver gives it
   */
  public Traits.Builder traits(String url) {
    return common().durable().spansProcesses();
  }

  /** Fail-over may lose the last commits, unless the user knows better. */
  protected static Traits.Builder common() {
    return Traits.builder()
        .floors(Tokens.MAX_FLOOR)
        .fair()
        .ttl(Duration.ofMillis(100), Duration.ofDays(365))
        .ttlResolution(Duration.ofMillis(1))
        .expiryLag(Duration.ofMillis(2)) // at least one step of the clock at each end
        .allKinds()
        .lingers()
        .detachable()
        .consistency(Consistency.BEST_EFFORT);
  }

  /** Returns the most connections that it makes sense to use at once. */
  public int connections() {
    return 64;
  }

  /**
   * Returns an expression for the database's clock in microseconds since 1970: constant within a
   * statement, not later than its start, and in UTC, which has no summer time.
   */
  public abstract String clock();

  /** Returns the resolution of that clock in microseconds. */
  public long clockStep() {
    return 1;
  }

  /** Returns how long this clock must keep a claim with this ttl so that it never ends early. */
  public final long lifetime(Duration ttl) {
    return lifetime(ttl, clockStep());
  }

  static long lifetime(Duration ttl, long step) {
    long stepNanos = step * 1_000;
    return ((ttl.toNanos() + stepNanos - 1) / stepNanos + 1) * step; // it may start a step behind
  }

  /**
   * Returns the statement that takes a free lock without waiting claims in one round trip, whether
   * its row exists or not, and changes nothing otherwise. Its parameters are those that {@code
   * FastPath} binds.
   */
  public abstract String takeFree();

  /**
   * Returns whether {@link #takeFree} may be part of a query ({@code WITH}), which then shows in
   * the same round trip why the lock is not free.
   */
  public boolean readsWhereItTakes() {
    return false;
  }

  /**
   * Returns the path on which a lock passes from one holder to the next in one request each; null
   * where all waiting claims take the slow path.
   *
   * @param owners how the client identifies itself in its claims
   */
  public @Nullable QueuePath queuePath(OwnerCodec owners) {
    return null;
  }

  /**
   * Returns the path on which one statement serves many claims; null if there is none.
   *
   * @param owners how the client identifies itself in its claims
   * @param asyncReleases whether a group of releases may be confirmed before it is on disk
   */
  public @Nullable GroupPath groupPath(OwnerCodec owners, boolean asyncReleases) {
    return null;
  }

  /**
   * Has the server confirm an update before it is on disk, if a statement can say so.
   *
   * @param update ends with its conditions
   */
  public String async(String update) {
    return update;
  }

  /**
   * Limits how long an update of one row waits for that row to {@link Limits#SECONDS} at a time,
   * where the connection has no such limit.
   *
   * @param update ends with its conditions
   */
  public String limited(String update) {
    return update;
  }

  /**
   * Returns the condition that a row belongs to the claim whose id is the parameter, compared
   * exactly.
   */
  public String isClaim() {
    return "claim_id = ?";
  }

  /** Makes the update of one row return the token of that row. */
  public String returningToken(String update) {
    return update + " RETURNING token";
  }

  /**
   * Runs {@link #takeFree} or a result of {@link #returningToken}.
   *
   * @return the token, or null if nothing changed
   */
  public @Nullable Long token(StoreConnection connection, String sql, @Nullable Object... values)
      throws SQLException {
    try (ResultSet rows = connection.prepare(sql, values).executeQuery()) {
      Long token = rows.next() ? rows.getLong(1) : null;
      // To the end: only then has SQLite committed, and an error of the commit been reported.
      while (rows.next()) {
        throw new SQLException("more than one row for one lock");
      }
      return token;
    }
  }

  /**
   * Returns the clause that keeps others from changing the rows that a query read, until the
   * transaction ends; empty where its beginning does.
   */
  public String forUpdate() {
    return " FOR UPDATE";
  }

  /** Returns whether {@link #forUpdate} may be followed by {@code SKIP LOCKED}. */
  public boolean skipsLocked(DatabaseMetaData about) throws SQLException {
    return false;
  }

  /** A condition that a column of type BIGINT holds a whole number, or is null. */
  public String isWhole(String column) {
    return "1 = 1";
  }

  /** Returns whether text is kept as the bytes of UTF-8, so that it is compared exactly. */
  protected boolean keepsBytes() {
    return false;
  }

  /** Returns a text of any characters as a value that is kept and compared exactly. */
  public final @Nullable Object text(@Nullable String text) {
    return text != null && keepsBytes() ? text.getBytes(StandardCharsets.UTF_8) : text;
  }

  /** Binds such a text. */
  public final void setText(PreparedStatement statement, int index, @Nullable String text)
      throws SQLException {
    StoreConnection.bind(statement, index - 1, text(text));
  }

  /** Reads such a text. */
  public final @Nullable String getText(ResultSet rows, int index) throws SQLException {
    if (!keepsBytes()) {
      return rows.getString(index);
    }
    byte[] bytes = rows.getBytes(index);
    return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
  }

  /**
   * Returns whether such a connection accepts several statements at once. Then {@link #beginning}
   * starts a transaction, and {@link #ending} commits it.
   */
  public boolean takesScripts(Connection connection) throws SQLException {
    return false;
  }

  /**
   * Returns the statements that start a transaction of more than one round trip. The server ends it
   * by itself if the client is silent for {@link Limits#SECONDS}.
   */
  public abstract List<String> beginning();

  /**
   * Returns the statements that end such a transaction.
   *
   * @param how {@code COMMIT} or {@code ROLLBACK}
   */
  public List<String> ending(String how) {
    return List.of(how);
  }

  /**
   * Returns a script as one compound statement, which answers only what its queries find; null to
   * send it as separate statements.
   */
  public @Nullable String compound(String script) {
    return null;
  }

  /** Returns a prefix for text that the server is not to prepare. */
  public String asText() {
    return "";
  }

  /**
   * Returns the statement that notifies a client of a grant once the running transaction is
   * committed; its parameters are the client's channel and the lock's name. Null if the database
   * sends no notifications.
   */
  public @Nullable String announcement() {
    return null;
  }

  /**
   * Returns whether the transaction certainly had no effect and may succeed if repeated: busy,
   * deadlock, serialization failure.
   */
  public boolean isRetryable(SQLException failure) {
    // A lock row that another client inserted first exists when the work is repeated.
    return isState(failure, "40001") || isState(failure, "23505");
  }

  /**
   * Returns a prefix for every statement that is prepared when work is repeated after this failure;
   * null if nothing changes.
   */
  public @Nullable String otherwise(SQLException failure) {
    return null;
  }

  /** Returns whether the connection is broken: the outcome of the transaction is unknown. */
  public boolean isConnectionLost(SQLException failure) {
    String state = String.valueOf(rootOf(failure).getSQLState());
    return state.startsWith("08") // connection
        || state.startsWith("57P0"); // PostgreSQL shuts down
  }

  /** Returns whether the failure is that a table does not exist. */
  public boolean isMissingTable(SQLException failure) {
    return isState(failure, "42S02");
  }

  /** Explains a failure to people, with a remedy where there is one. */
  public String explain(SQLException failure) {
    SQLException first = rootOf(failure);
    String state = String.valueOf(first.getSQLState());
    if (state.startsWith("28")) {
      return "it refuses this user or password";
    }
    return switch (state) {
      case "25006" -> "it is read-only, perhaps a standby: " + first.getMessage();
      case "42501" -> "this user lacks a right: " + first.getMessage();
      default ->
          first instanceof SQLTransientConnectionException
                  || first instanceof SQLRecoverableException
              ? "no connection: " + first.getMessage()
              : String.valueOf(first.getMessage());
    };
  }

  /** Returns whether this failure, or the one that a pool wrapped into it, has this state. */
  protected static boolean isState(SQLException failure, String state) {
    return state.equals(rootOf(failure).getSQLState());
  }

  /** The failure that was wrapped into others. */
  protected static SQLException rootOf(SQLException failure) {
    SQLException found = failure;
    Throwable cause = failure;
    for (int depth = 0; depth < 10 && cause != null; depth++, cause = cause.getCause()) {
      if (cause instanceof SQLException inner && inner.getSQLState() != null) {
        found = inner;
      }
    }
    return found;
  }

  /**
   * Prepares a connection: each statement is a separate transaction and waits for a row only for
   * {@link Limits#SECONDS} at a time.
   *
   * @param millis the longest wait for an answer
   * @return restores the original settings
   */
  public Restore prepare(Connection connection, int millis) throws SQLException {
    int timeout = StoreConnection.networkTimeout(connection);
    limit(connection, millis);
    boolean autoCommit = connection.getAutoCommit();
    if (!autoCommit) {
      connection.setAutoCommit(true);
    }
    return () -> {
      if (!autoCommit) {
        connection.setAutoCommit(false);
      }
      if (timeout >= 0) {
        connection.setNetworkTimeout(Runnable::run, timeout);
      }
    };
  }

  /** Sets the longest wait for an answer of the server. */
  public void limit(Connection connection, int millis) throws SQLException {
    StoreConnection.networkTimeout(connection, millis);
  }

  /**
   * Returns a query for what others have added to our tables: rows of the table, the type of the
   * addition ({@code owner}, {@code kind}, {@code policy}, or the name that the database has for
   * it) and its name. In place of {@code NAMES} come the {@link TableSafety#NAMES}.
   */
  public abstract String intrusions();

  /** Returns settings that endanger locks; reads little. */
  public abstract List<Finding> examine(StoreConnection connection) throws SQLException;
}
