package dev.holdfast.jdbc.dialect;

import dev.holdfast.Finding;
import dev.holdfast.Traits;
import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.jdbc.sql.Schema;
import dev.holdfast.jdbc.sql.ServerVersion;
import dev.holdfast.jdbc.sql.SqlEncryption;
import dev.holdfast.jdbc.sql.StoreConnection;
import dev.holdfast.jdbc.sql.TableSafety;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;

/**
 * H2: a server ({@code tcp:}, {@code ssl:}), a file that one process opens, or memory of this
 * process.
 */
public final class H2Dialect extends Dialect {

  private static final int DEADLOCK = 40001;
  private static final int LOCK_TIMEOUT = 50200;
  private static final int OBJECT_CLOSED = 90007;
  private static final int CONNECTION_BROKEN = 90067;
  private static final int DATABASE_CLOSED = 90098;
  private static final int CONCURRENT_UPDATE = 90131;
  private static final int DATABASE_NOT_FOUND = 90149;
  private static final int NOT_FOUND_AND_NOT_TO_BE_MADE = 90146;
  private static final int NOT_ENOUGH_RIGHTS = 90096;
  private static final int FILE_IN_USE = 90020;

  private static final String TAKE_FREE =
      """
      SELECT token FROM FINAL TABLE (
      MERGE INTO holdfast_lock l
      USING (SELECT CAST(? AS VARBINARY) AS name, CAST(? AS VARCHAR) AS kind,
          CAST(? AS INTEGER) AS capacity, CAST(? AS VARCHAR) AS id, CAST(? AS INTEGER) AS weight,
          CAST(? AS BIGINT) AS ttl, CAST(? AS VARBINARY) AS owner, CAST(? AS VARBINARY) AS text,
          CAST(? AS BIGINT) AS floor, CAST(? AS BIGINT) AS spares, CLOCK AS now) c
      ON l.name = c.name
      WHEN MATCHED AND l.queued = 0 AND l.format = 1 AND l.last_token BETWEEN 0 AND LAST
          AND (l.claim_id IS NULL OR l.expires <= c.now) THEN UPDATE SET
          kind = c.kind,
          capacity = c.capacity,
          last_token = GREATEST(l.last_token + 1, c.now, c.floor + 1) + c.spares,
          claim_id = c.id,
          weight = c.weight,
          token = GREATEST(l.last_token + 1, c.now, c.floor + 1),
          since = c.now,
          ttl = c.ttl,
          expires = c.now + c.ttl,
          owner = c.owner,
          claim_value = c.text
      WHEN NOT MATCHED THEN INSERT (name, format, kind, capacity, last_token, queued,
          claim_id, weight, token, since, ttl, expires, owner, claim_value)
      VALUES (c.name, 1, c.kind, c.capacity, GREATEST(c.now, c.floor + 1) + c.spares, 0,
          c.id, c.weight, GREATEST(c.now, c.floor + 1), c.now, c.ttl, c.now + c.ttl, c.owner, c.text)
      )""";

  public H2Dialect() {
    super("H2", "h2.sql", "2.0");
  }

  /** A file is open in one process, unless that process serves it to others. */
  @Override
  public Traits.Builder traits(String url) {
    String place = url.substring("jdbc:h2:".length()).toLowerCase(Locale.ROOT);
    Traits.Builder traits = common();
    if (!place.startsWith("mem:")) {
      traits.durable();
    }
    if (place.startsWith("tcp:")
        || place.startsWith("ssl:")
        || place.contains("auto_server=true")) {
      traits.spansProcesses();
    }
    return traits;
  }

  // In a transaction, the time is fixed by the first statement that reads it, so the one that
  // locks rows, and may wait for them, must not read it.
  @Override
  public String clock() {
    return "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6)) * 1000000 AS BIGINT)";
  }

  @Override
  public String takeFree() {
    return TAKE_FREE.replace("CLOCK", clock()).replace("LAST", Schema.LAST_TOKEN);
  }

  @Override
  public String returningToken(String update) {
    return "SELECT token FROM FINAL TABLE (" + update + ")";
  }

  @Override
  public boolean skipsLocked(DatabaseMetaData about) throws SQLException {
    return ServerVersion.isFrom("2.3", about);
  }

  @Override
  protected boolean keepsBytes() {
    return true;
  }

  @Override
  public List<String> beginning() {
    return List.of("SET AUTOCOMMIT FALSE");
  }

  @Override
  public List<String> ending(String how) {
    return List.of(how, "SET AUTOCOMMIT TRUE");
  }

  @Override
  public String intrusions() {
    return TableSafety.standardQuery("CURRENT_SCHEMA");
  }

  @Override
  public List<Finding> examine(StoreConnection connection) throws SQLException {
    String url = connection.jdbc().getMetaData().getURL().toLowerCase(Locale.ROOT);
    return url.startsWith("jdbc:h2:tcp:") || url.startsWith("jdbc:h2:ssl:")
        ? List.of(SqlEncryption.finding(url, url.startsWith("jdbc:h2:ssl:")))
        : List.of();
  }

  @Override
  public boolean isRetryable(SQLException failure) {
    return switch (rootOf(failure).getErrorCode()) {
      case DEADLOCK, LOCK_TIMEOUT, CONCURRENT_UPDATE -> true;
      default -> super.isRetryable(failure);
    };
  }

  @Override
  public boolean isConnectionLost(SQLException failure) {
    return switch (rootOf(failure).getErrorCode()) {
      case CONNECTION_BROKEN, DATABASE_CLOSED, OBJECT_CLOSED -> true;
      default -> super.isConnectionLost(failure);
    };
  }

  @Override
  public boolean isMissingTable(SQLException failure) {
    String state = String.valueOf(rootOf(failure).getSQLState());
    return state.equals("42S02") || state.equals("42S03") || state.equals("42S04");
  }

  @Override
  public String explain(SQLException failure) {
    SQLException first = rootOf(failure);
    return switch (first.getErrorCode()) {
      case DATABASE_NOT_FOUND, NOT_FOUND_AND_NOT_TO_BE_MADE -> "the database does not exist";
      case NOT_ENOUGH_RIGHTS -> "this user lacks a right: " + first.getMessage();
      case FILE_IN_USE ->
          "another process has the file open; run H2 as a server, or add AUTO_SERVER=TRUE";
      case LOCK_TIMEOUT -> "others kept the lock's row locked all the time";
      default -> super.explain(failure);
    };
  }
}
