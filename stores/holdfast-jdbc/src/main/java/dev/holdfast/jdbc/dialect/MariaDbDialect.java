package dev.holdfast.jdbc.dialect;

import dev.holdfast.jdbc.sql.Limits;
import dev.holdfast.jdbc.sql.ServerVersion;
import dev.holdfast.jdbc.sql.StoreConnection;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** MariaDB: as MySQL, except for its versions, some errors, and a limit for idle transactions. */
public class MariaDbDialect extends MySqlDialect {

  private static final int RECORD_HAS_CHANGED = 1020;
  private static final int TOO_MANY_STATEMENTS = 1461;

  public MariaDbDialect() {
    super("MariaDB", "10.3");
  }

  @Override
  public boolean skipsLocked(DatabaseMetaData about) throws SQLException {
    return ServerVersion.isFrom("10.6", about);
  }

  @Override
  public boolean takesScripts(Connection connection) throws SQLException {
    return StoreConnection.takes(connection, AS_TEXT + compound("SELECT 1; SELECT 1"));
  }

  /** One statement for the server to receive, parse and count, instead of five to seven. */
  @Override
  public String compound(String script) {
    return "BEGIN NOT ATOMIC " + script + "; END";
  }

  @Override
  public List<String> beginning() {
    return List.of(START);
  }

  @Override
  public List<String> ending(String how) {
    return List.of(how);
  }

  @Override
  protected String limit() {
    return super.limit() + ", SESSION %s = %d".formatted(clientWait(), Limits.SECONDS);
  }

  @Override
  protected String clientWait() {
    return "idle_transaction_timeout";
  }

  /** Newer ones refuse, above READ COMMITTED, to lock a row that is newer than the snapshot. */
  @Override
  public boolean isRetryable(SQLException failure) {
    int code = rootOf(failure).getErrorCode();
    return code == RECORD_HAS_CHANGED || code == TOO_MANY_STATEMENTS || super.isRetryable(failure);
  }

  /** All clients of a server share one number of prepared statements. */
  @Override
  public @Nullable String otherwise(SQLException failure) {
    return rootOf(failure).getErrorCode() == TOO_MANY_STATEMENTS ? AS_TEXT : null;
  }
}
