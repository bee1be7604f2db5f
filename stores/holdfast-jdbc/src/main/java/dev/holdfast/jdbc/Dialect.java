package dev.holdfast.jdbc;

import dev.holdfast.Finding;
import dev.holdfast.Traits;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one SQL engine does its own way. A further engine is one class of these and one file of
 * table definitions.
 *
 * <p>Constant, and safe for any threads.
 */
interface Dialect {

  /** Makes a connection again what it was. */
  @FunctionalInterface
  interface Restore {
    void run() throws SQLException;
  }

  /**
   * The dialect of the database at the other end of a connection.
   *
   * @throws IllegalArgumentException listing those that are known
   */
  static Dialect of(Connection connection) throws SQLException {
    DatabaseMetaData about = connection.getMetaData();
    return Dialects.of(about.getDatabaseProductName(), about.getDatabaseProductVersion());
  }

  /** As {@link DatabaseMetaData#getDatabaseProductName} spells it. */
  String product();

  /** The resource with the table definitions, beside this class. */
  String tables();

  /**
   * Refuses a database where locks would not exclude, or that lacks what the statements need.
   *
   * @throws IllegalArgumentException or StoreException saying why
   */
  void check(DatabaseMetaData about) throws SQLException;

  /**
   * What a store in this database can do.
   *
   * @param url as the driver gives it
   */
  Traits.Builder traits(String url);

  /** How many connections it makes sense to use at once, at most. */
  int connections();

  /**
   * The database's clock in microseconds since 1970 as an expression; constant within a statement,
   * not later than its start, and in UTC, which never jumps for summer time.
   */
  String clock();

  /** How coarse that clock is, in microseconds. */
  long clockStep();

  /**
   * Takes a lock that nobody holds or waits for, in one round trip, whether its row exists or not;
   * changes nothing otherwise. The parameters are those that {@link FastPath} binds.
   */
  String takeFree();

  /**
   * Whether {@link #takeFree} may be part of a query ({@code WITH}), which then tells in the same
   * round trip who keeps the lock from being taken.
   */
  default boolean readsWhereItTakes() {
    return false;
  }

  /**
   * How a lock goes from one holder to the next in one request each; null where all that waits is a
   * matter of transactions.
   *
   * @param owners what the client writes of itself into its claims
   */
  default @Nullable HandOff handOff(OwnerCodec owners) {
    return null;
  }

  /**
   * An update of one row that ends with its conditions, made to wait for that row only for {@link
   * Limits#SECONDS} at a time, where the connection does not see to it.
   */
  default String limited(String update) {
    return update;
  }

  /** Whether the row is that of the claim whose id is the parameter, compared exactly. */
  default String isClaim() {
    return "claim_id = ?";
  }

  /** The update of one row, made to answer with that row's token. */
  String returningToken(String update);

  /** Prepares {@link #takeFree} or what {@link #returningToken} made. */
  default PreparedStatement prepareReturningToken(Session session, String sql) throws SQLException {
    return session.prepare(sql);
  }

  /**
   * Runs a statement that answers with a token, with its parameters bound.
   *
   * @return the token, or null if it changed nothing
   */
  default @Nullable Long runReturningToken(PreparedStatement statement) throws SQLException {
    try (ResultSet rows = statement.executeQuery()) {
      Long token = rows.next() ? rows.getLong(1) : null;
      // To the end: only then has SQLite committed, and an error of the commit been reported.
      while (rows.next()) {
        throw new SQLException("more than one row for one lock");
      }
      return token;
    }
  }

  /**
   * What makes a query keep others from changing the rows it read until the transaction ends; empty
   * where {@link #begin} keeps others out already.
   */
  String forUpdate();

  /** A condition that a column of type BIGINT holds a whole number, or is null. */
  default String isWhole(String column) {
    return "1 = 1";
  }

  /** Binds a text of any characters so that it is kept and compared exactly. */
  default void setText(PreparedStatement statement, int index, @Nullable String text)
      throws SQLException {
    statement.setString(index, text);
  }

  /** Reads what {@link #setText} bound. */
  default @Nullable String getText(ResultSet rows, int index) throws SQLException {
    return rows.getString(index);
  }

  /**
   * Whether several statements may be sent together on such a connection. Then {@link #beginning}
   * starts a transaction, and {@link #ending} commits it.
   */
  default boolean takesScripts(Connection connection) throws SQLException {
    return false;
  }

  /**
   * Starts a transaction that will write and lasts for more than one round trip, as texts. From
   * then on the server ends it by itself if the client says nothing for {@link Limits#SECONDS}.
   */
  default List<String> beginning() {
    return List.of("BEGIN");
  }

  /** Commits such a transaction, as texts. */
  default List<String> ending() {
    return List.of("COMMIT");
  }

  /** What to put before a text that the server is not to prepare. */
  default String asText() {
    return "";
  }

  /** Starts a transaction that will write, as {@link #beginning}. */
  void begin(Session session) throws SQLException;

  void commit(Session session) throws SQLException;

  void rollback(Session session) throws SQLException;

  /**
   * Tells a client, once the running transaction is committed, that it let in a claim of its: the
   * parameters are the client's channel and the lock's name. Null where nobody is told.
   */
  default @Nullable String announcement() {
    return null;
  }

  /**
   * Whether the whole transaction surely did nothing and may succeed if repeated: busy, deadlock,
   * serialization failure.
   */
  boolean isRetryable(SQLException failure);

  /**
   * What to put before every text that is prepared when it is tried again after this failure; null
   * if it is to be tried as it was.
   */
  default @Nullable String otherwise(SQLException failure) {
    return null;
  }

  /** Whether the connection is broken, so that nobody knows whether the transaction took effect. */
  default boolean isConnectionLost(SQLException failure) {
    return false;
  }

  /** Whether a table that a statement names does not exist. */
  boolean isMissingTable(SQLException failure);

  /** What a failure means, for people; what to do about it where that can be said. */
  String explain(SQLException failure);

  /**
   * Makes a connection usable: each statement a transaction of its own, which waits for a row only
   * for {@link Limits#SECONDS} at a time.
   *
   * @param millis how long an answer may take meanwhile
   * @return undoes that
   */
  Restore prepare(Connection connection, int millis) throws SQLException;

  /**
   * A query for what others have put on our tables: rows of the table, what it is ({@code owner},
   * {@code kind}, {@code policy}, or what the database calls it) and its name.
   */
  String intrusions();

  /** Settings that endanger locks; reads little. */
  default List<Finding> examine(Session session) throws SQLException {
    return List.of();
  }

  /** Lets no answer of the server be waited for longer than this. */
  default void limit(Connection connection, int millis) throws SQLException {}
}
