package dev.holdfast.jdbc.dialect;

import dev.holdfast.Finding;
import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.jdbc.sql.GroupPath;
import dev.holdfast.jdbc.sql.Limits;
import dev.holdfast.jdbc.sql.OwnerCodec;
import dev.holdfast.jdbc.sql.QueuePath;
import dev.holdfast.jdbc.sql.SqlEncryption;
import dev.holdfast.jdbc.sql.StoreConnection;
import dev.holdfast.jdbc.sql.Upsert;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** PostgreSQL. A client that listens is notified of a grant. */
public class PostgresDialect extends Dialect {

  public static final String NOTIFY = "SELECT pg_notify(?, ?)";

  private static final String ENCRYPTED =
      "SELECT CAST(ssl AS TEXT) FROM pg_stat_ssl WHERE pid = pg_backend_pid()";

  /** Tables that belong to the owner of the database or the schema are trusted. */
  private static final String INTRUSIONS =
      """
      WITH ours AS (SELECT c.* FROM pg_class c
          WHERE c.oid IN (SELECT to_regclass(name) FROM unnest(ARRAY[NAMES]) AS name))
      SELECT relname, 'trigger', tgname FROM ours JOIN pg_trigger t ON t.tgrelid = ours.oid
          WHERE NOT tgisinternal
      UNION ALL SELECT relname, 'rule', rulename FROM ours JOIN pg_rewrite r ON r.ev_class = ours.oid
          WHERE relkind <> 'v'
      UNION ALL SELECT relname, 'kind', CAST(relkind AS NAME) FROM ours WHERE relkind NOT IN ('r', 'p')
      UNION ALL SELECT relname, 'policy', '' FROM ours WHERE relrowsecurity
      UNION ALL SELECT relname, 'owner', pg_get_userbyid(relowner) FROM ours
          JOIN pg_roles o ON o.oid = relowner
          WHERE o.rolname <> current_user AND NOT o.rolsuper
          AND relowner NOT IN (SELECT nspowner FROM pg_namespace n WHERE n.oid = relnamespace)
          AND relowner NOT IN (SELECT datdba FROM pg_database WHERE datname = current_database())""";

  public PostgresDialect() {
    super("PostgreSQL", "postgresql.sql", "9.6"); // idle_in_transaction_session_timeout
  }

  @Override
  public String clock() {
    return "CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 AS BIGINT)";
  }

  @Override
  public String takeFree() {
    return Upsert.text(clock(), "GREATEST").replace("WHERE true", "WHERE " + limited());
  }

  @Override
  public boolean readsWhereItTakes() {
    return true;
  }

  /**
   * A condition that is true and limits how long the running transaction waits for a row. It is
   * part of a statement that is its own transaction: a setting of the session would remain, for the
   * caller or for strangers who share the connection through a proxy.
   */
  public String limited() {
    return "set_config('lock_timeout', '" + Limits.MILLIS + "', true) IS NOT NULL";
  }

  @Override
  public boolean skipsLocked(DatabaseMetaData about) {
    return true;
  }

  @Override
  public String limited(String update) {
    return update + " AND " + limited();
  }

  @Override
  public QueuePath queuePath(OwnerCodec owners) {
    return new PostgresQueuePath(this, owners);
  }

  @Override
  public GroupPath groupPath(OwnerCodec owners, boolean asyncReleases) {
    return new PostgresGroupPath(this, owners, asyncReleases);
  }

  /** For the running transaction, as {@link #limited()}. */
  @Override
  public String async(String update) {
    return update + " AND set_config('synchronous_commit', 'off', true) IS NOT NULL";
  }

  @Override
  public boolean takesScripts(Connection connection) throws SQLException {
    return StoreConnection.takes(connection, "SELECT 1; SELECT 1");
  }

  // Text, not JDBC's own transactions: the level counts for this transaction alone, whatever the
  // session has, and nothing has to be set back.
  @Override
  public List<String> beginning() {
    return List.of(
        "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
        "SELECT %s, set_config('idle_in_transaction_session_timeout', '%d', true)"
            .formatted(limited(), Limits.MILLIS));
  }

  @Override
  public String announcement() {
    return NOTIFY;
  }

  @Override
  public String intrusions() {
    return INTRUSIONS;
  }

  @Override
  public List<Finding> examine(StoreConnection connection) throws SQLException {
    String query =
        "SELECT current_setting('fsync'), current_setting('synchronous_commit'),"
            + " current_setting('synchronous_standby_names'),"
            + " (SELECT count(*) FROM pg_stat_replication)";
    try (ResultSet rows = connection.prepare(query).executeQuery()) {
      rows.next();
      List<Finding> findings = new ArrayList<>();
      if (rows.getString(1).equals("off")) {
        findings.add(Finding.danger("fsync is off: a crash of the machine can undo grants"));
      }
      if (rows.getString(2).equals("off")) {
        findings.add(
            Finding.warning("synchronous_commit is off: a crash of the server can undo grants"));
      }
      if (rows.getInt(4) > 0 && rows.getString(3).isEmpty()) {
        findings.add(
            Finding.warning(
                "no standby is synchronous (synchronous_standby_names): a fail-over can undo the"
                    + " last grants"));
      }
      findings.add(SqlEncryption.ask(connection, ENCRYPTED));
      return findings;
    }
  }

  @Override
  public boolean isRetryable(SQLException failure) {
    return super.isRetryable(failure)
        || isState(failure, "40P01") // deadlock
        || isState(failure, "55P03") // lock time-out
        || isState(failure, "25P03"); // the transaction waited for us, and was rolled back
  }

  @Override
  public boolean isMissingTable(SQLException failure) {
    return isState(failure, "42P01");
  }

  @Override
  public String explain(SQLException failure) {
    return switch (String.valueOf(rootOf(failure).getSQLState())) {
      case "3D000" -> "the database does not exist";
      case "55P03" -> "others kept the lock's row locked all the time";
      default -> super.explain(failure);
    };
  }
}
