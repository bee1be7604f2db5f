package dev.holdfast.jdbc;

import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** MariaDB: as MySQL, but for its versions, errors of its own and a limit for transactions. */
class MariaDbDialect extends MySqlDialect {

  private static final int RECORD_HAS_CHANGED = 1020;
  private static final int TOO_MANY_STATEMENTS = 1461;

  @Override
  public String product() {
    return "MariaDB";
  }

  @Override
  int oldestMajor() {
    return 10;
  }

  @Override
  int oldestMinor() {
    return 3;
  }

  @Override
  public List<String> beginning() {
    return List.of(START);
  }

  @Override
  List<String> ended(String how) {
    return List.of(how);
  }

  @Override
  String limit() {
    return "SET @holdfast_row_wait = @@SESSION.innodb_lock_wait_timeout,"
        + " @holdfast_client_wait = @@SESSION.idle_transaction_timeout,"
        + " SESSION innodb_lock_wait_timeout = %1$d, SESSION idle_transaction_timeout = %1$d"
            .formatted(Limits.SECONDS);
  }

  @Override
  String restore() {
    return "SET SESSION innodb_lock_wait_timeout = @holdfast_row_wait,"
        + " SESSION idle_transaction_timeout = @holdfast_client_wait";
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
