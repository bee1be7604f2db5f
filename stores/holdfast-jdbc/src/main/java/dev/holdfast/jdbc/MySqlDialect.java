package dev.holdfast.jdbc;

import dev.holdfast.Finding;
import dev.holdfast.spi.Tokens;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** MySQL, with InnoDB. */
class MySqlDialect extends ServerDialect {

  /** To MariaDB's driver: send it as text, with the values in it. To others a comment. */
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
   * A lock that is not free keeps its token, so it can be told from one that was taken by it.
   *
   * <p>Values and assignments run from left to right and see those before them. So the new row says
   * when it begins before it says when it ends; and in the row that was there the token comes
   * first, and is above the last one only if the lock has just been taken, or the row is damaged
   * and they are no tokens at all. A plain row of values, not a query: the server would make a
   * table of that query each time.
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

  /** What a connection waits for by itself, but for one that is in a transaction. */
  private static final String PATIENT =
      "SET SESSION wait_timeout = COALESCE(@holdfast_client_wait, @@GLOBAL.wait_timeout)";

  @Override
  public String product() {
    return "MySQL";
  }

  @Override
  public String tables() {
    return "mysql.sql";
  }

  @Override
  int oldestMajor() {
    return 5;
  }

  @Override
  int oldestMinor() {
    return 7; // keys as long as the longest name
  }

  // Not NOW(), which follows the session's time zone into summer time.
  @Override
  public String clock() {
    return "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";
  }

  @Override
  public String takeFree() {
    return TAKE_FREE.replace("CLOCK", clock()).replace("MOST", Rows.LAST_TOKEN);
  }

  @Override
  public HandOff handOff(OwnerCodec owners) {
    return new MySqlHandOff(this, owners);
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

  @Override
  public PreparedStatement prepareReturningToken(Session session, String sql) throws SQLException {
    return session.prepareReturningKey(sql);
  }

  /** The key that the statement "generates" is the token; counts depend on a setting. */
  @Override
  public @Nullable Long runReturningToken(PreparedStatement statement) throws SQLException {
    statement.executeUpdate();
    try (ResultSet keys = statement.getGeneratedKeys()) {
      long token = keys.next() ? keys.getLong(1) : 0;
      return token == 0 ? null : token;
    }
  }

  @Override
  public void setText(PreparedStatement statement, int index, @Nullable String text)
      throws SQLException {
    setBytes(statement, index, text);
  }

  @Override
  public @Nullable String getText(ResultSet rows, int index) throws SQLException {
    return getBytes(rows, index);
  }

  @Override
  public boolean takesScripts(Connection connection) throws SQLException {
    return takes(connection, AS_TEXT + "SELECT 1; SELECT 1");
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

  @Override
  public List<String> ending() {
    return ended("COMMIT");
  }

  /** The server has no limit for idle transactions alone, and a pool's connections are idle. */
  List<String> ended(String how) {
    return List.of(how, PATIENT);
  }

  // As text, there is nothing to parse, and a server without room for one more prepared statement
  // still ends the transaction.
  @Override
  public void begin(Session session) throws SQLException {
    run(session, beginning());
  }

  @Override
  public void commit(Session session) throws SQLException {
    run(session, ending());
  }

  @Override
  public void rollback(Session session) throws SQLException {
    run(session, ended("ROLLBACK"));
  }

  @Override
  public Restore prepare(Connection connection, int millis) throws SQLException {
    Restore restore = super.prepare(connection, millis);
    execute(connection, limit());
    return () -> {
      execute(connection, restore());
      restore.run();
    };
  }

  /** Sets limits, and keeps what was set before in variables of the connection. */
  String limit() {
    return "SET @holdfast_row_wait = @@SESSION.innodb_lock_wait_timeout,"
        + " @holdfast_client_wait = @@SESSION.wait_timeout,"
        + " SESSION innodb_lock_wait_timeout = "
        + Limits.SECONDS;
  }

  /** Sets what was set before. */
  String restore() {
    return "SET SESSION innodb_lock_wait_timeout = @holdfast_row_wait,"
        + " SESSION wait_timeout = @holdfast_client_wait";
  }

  private static void run(Session session, List<String> texts) throws SQLException {
    for (String text : texts) {
      session.run(AS_TEXT + text);
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Tables have no owners here; triggers are seen by a user with the right to make some. */
  @Override
  public String intrusions() {
    return """
        SELECT event_object_table, 'trigger', trigger_name FROM information_schema.triggers
            WHERE event_object_schema = DATABASE() AND event_object_table IN (NAMES)
        UNION ALL SELECT table_name, 'kind', table_type FROM information_schema.tables
            WHERE table_schema = DATABASE() AND table_name IN (NAMES)
            AND table_type <> 'BASE TABLE'"""
        .replace("NAMES", TableSafety.NAMES);
  }

  @Override
  public List<Finding> examine(Session session) throws SQLException {
    String query = "SELECT @@innodb_flush_log_at_trx_commit, @@log_bin, @@sync_binlog";
    try (ResultSet rows = session.prepare(query).executeQuery()) {
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
      findings.add(SqlEncryption.ask(session, "SHOW SESSION STATUS LIKE 'Ssl_cipher'"));
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
