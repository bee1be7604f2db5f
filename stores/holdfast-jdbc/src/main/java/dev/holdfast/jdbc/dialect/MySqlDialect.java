package dev.holdfast.jdbc.dialect;

import dev.holdfast.Finding;
import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.jdbc.sql.Limits;
import dev.holdfast.jdbc.sql.OwnerCodec;
import dev.holdfast.jdbc.sql.QueuePath;
import dev.holdfast.jdbc.sql.Schema;
import dev.holdfast.jdbc.sql.ServerVersion;
import dev.holdfast.jdbc.sql.SqlEncryption;
import dev.holdfast.jdbc.sql.StoreConnection;
import dev.holdfast.jdbc.sql.TableSafety;
import dev.holdfast.spi.Tokens;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** MySQL, with InnoDB. */
public class MySqlDialect extends Dialect {

  /** A hint for MariaDB's driver to send text with the values in it; a comment for others. */
  static final String AS_TEXT = "/*client prepare*/";

  private static final int ACCESS_DENIED_TO_DATABASE = 1044;
  private static final int UNKNOWN_DATABASE = 1049;
  private static final int DUPLICATE_KEY = 1062;
  private static final int TABLE_ACCESS_DENIED = 1142;
  private static final int LOCK_WAIT_TIMEOUT = 1205;
  private static final int DEADLOCK = 1213;
  private static final int CLIENT_WAIT_TIMEOUT = 4031;

  static final String START = "START TRANSACTION";

  /**
   * A lock that is not free keeps its token, which distinguishes it from one that was taken.
   *
   * <p>Values and assignments are evaluated from left to right and see those before them. So the
   * new row sets when it begins before when it ends; and in an existing row the token comes first,
   * and exceeds the last one only if the lock was just taken, or the row is damaged and holds no
   * valid tokens. A plain row of values, not a query: the server would make a table of that query
   * each time.
   */
  private static final String TAKE_FREE =
      """
      INSERT INTO holdfast_lock (name, kind, capacity, claim_id, weight, since, ttl, expires,
          owner, claim_value, token, last_token, queued, format)
      VALUES (?, ?, ?, ?, ?, CLOCK, ?, since + ttl,
          ?, ?, LAST_INSERT_ID(GREATEST(since, ? + 1)), token + ?, 0, 1)
      ON DUPLICATE KEY UPDATE
          token = IF(queued = 0 AND format = 1 AND last_token BETWEEN 0 AND MOST
                  AND (claim_id IS NULL OR expires <= VALUES(since)),
              LAST_INSERT_ID(GREATEST(last_token + 1, VALUES(token))),
              IF(LAST_INSERT_ID(0) = 0, token, token)),
          kind = IF(TAKEN, VALUES(kind), kind),
          capacity = IF(TAKEN, VALUES(capacity), capacity),
          claim_id = IF(TAKEN, VALUES(claim_id), claim_id),
          weight = IF(TAKEN, VALUES(weight), weight),
          since = IF(TAKEN, VALUES(since), since),
          ttl = IF(TAKEN, VALUES(ttl), ttl),
          expires = IF(TAKEN, VALUES(expires), expires),
          owner = IF(TAKEN, VALUES(owner), owner),
          claim_value = IF(TAKEN, VALUES(claim_value), claim_value),
          last_token = IF(TAKEN, token + VALUES(last_token) - VALUES(token), last_token)"""
          .replace("TAKEN", "token > last_token AND last_token >= 0 AND token <= " + Tokens.MAX);

  /** Restores the idle time-out of a connection outside transactions. */
  private static final String PATIENT =
      "SET SESSION wait_timeout = COALESCE(@holdfast_client_wait, @@GLOBAL.wait_timeout)";

  public MySqlDialect() {
    this("MySQL", "5.7"); // keys as long as the longest name
  }

  /** For a server that took its protocol and its tables over. */
  protected MySqlDialect(String product, String oldest) {
    super(product, "mysql.sql", oldest);
  }

  // Not NOW(), which follows the session's time zone into summer time.
  @Override
  public String clock() {
    return "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";
  }

  @Override
  public String takeFree() {
    return TAKE_FREE.replace("CLOCK", clock()).replace("MOST", Schema.LAST_TOKEN);
  }

  @Override
  public QueuePath queuePath(OwnerCodec owners) {
    return new MySqlQueuePath(this, owners);
  }

  @Override
  public boolean skipsLocked(DatabaseMetaData about) throws SQLException {
    return ServerVersion.isFrom("8.0", about);
  }

  /** As text, an id with spaces behind it would be the same. */
  @Override
  public String isClaim() {
    return "claim_id = CAST(? AS BINARY)";
  }

  @Override
  public String returningToken(String update) {
    return update.replaceFirst(" SET ", " SET token = LAST_INSERT_ID(token), ");
  }

  /** The generated key is the token; update counts depend on a setting. */
  @Override
  public @Nullable Long token(StoreConnection connection, String sql, @Nullable Object... values)
      throws SQLException {
    PreparedStatement statement = connection.prepareReturningKey(sql, values);
    statement.executeUpdate();
    try (ResultSet keys = statement.getGeneratedKeys()) {
      long token = keys.next() ? keys.getLong(1) : 0;
      return token == 0 ? null : token;
    }
  }

  @Override
  protected boolean keepsBytes() {
    return true;
  }

  @Override
  public boolean takesScripts(Connection connection) throws SQLException {
    return StoreConnection.takes(connection, AS_TEXT + "SELECT 1; SELECT 1");
  }

  @Override
  public String asText() {
    return AS_TEXT;
  }

  // Right at every level: a locking read sees the latest, and only after it comes the one plain
  // read, which makes the snapshot. READ COMMITTED, which our own connections have, locks less.
  @Override
  public List<String> beginning() {
    return List.of("SET SESSION wait_timeout = " + Limits.SECONDS, START);
  }

  /** The server has no limit for idle transactions alone, and pooled connections are idle. */
  @Override
  public List<String> ending(String how) {
    return List.of(how, PATIENT);
  }

  @Override
  public Restore prepare(Connection connection, int millis) throws SQLException {
    Restore restore = super.prepare(connection, millis);
    execute(connection, limit());
    return () -> {
      execute(
          connection,
          "SET SESSION innodb_lock_wait_timeout = @holdfast_row_wait, SESSION %s = @holdfast_client_wait"
              .formatted(clientWait()));
      restore.run();
    };
  }

  /**
   * Returns a statement that sets limits and keeps the former ones in variables of the connection.
   */
  protected String limit() {
    return "SET @holdfast_row_wait = @@SESSION.innodb_lock_wait_timeout,"
        + " @holdfast_client_wait = @@SESSION.%s, SESSION innodb_lock_wait_timeout = %d"
            .formatted(clientWait(), Limits.SECONDS);
  }

  /** Returns the variable that limits how long the server waits for its client. */
  protected String clientWait() {
    return "wait_timeout";
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Triggers are seen by a user with the right to make some. */
  @Override
  public String intrusions() {
    return TableSafety.standardQuery("DATABASE()");
  }

  @Override
  public List<Finding> examine(StoreConnection connection) throws SQLException {
    String query = "SELECT @@innodb_flush_log_at_trx_commit, @@log_bin, @@sync_binlog";
    try (ResultSet rows = connection.prepare(query).executeQuery()) {
      rows.next();
      List<Finding> findings = new ArrayList<>();
      if (rows.getInt(1) != 1) {
        findings.add(
            Finding.warning(
                "innodb_flush_log_at_trx_commit is not 1: a crash of the server can undo grants"));
      }
      if (rows.getBoolean(2) && rows.getInt(3) != 1) {
        findings.add(
            Finding.warning(
                "sync_binlog is not 1: after a crash, replicas can lack grants or have others"));
      }
      findings.add(SqlEncryption.ask(connection, "SHOW SESSION STATUS LIKE 'Ssl_cipher'"));
      return findings;
    }
  }

  @Override
  public boolean isRetryable(SQLException failure) {
    return switch (rootOf(failure).getErrorCode()) {
      case DEADLOCK, LOCK_WAIT_TIMEOUT, DUPLICATE_KEY, CLIENT_WAIT_TIMEOUT -> true;
      default -> super.isRetryable(failure);
    };
  }

  @Override
  public String explain(SQLException failure) {
    SQLException first = rootOf(failure);
    return switch (first.getErrorCode()) {
      case UNKNOWN_DATABASE -> "the database does not exist";
      case ACCESS_DENIED_TO_DATABASE, TABLE_ACCESS_DENIED ->
          "this user lacks a right: " + first.getMessage();
      case LOCK_WAIT_TIMEOUT -> "others kept the lock's row locked all the time";
      default -> super.explain(failure);
    };
  }
}
