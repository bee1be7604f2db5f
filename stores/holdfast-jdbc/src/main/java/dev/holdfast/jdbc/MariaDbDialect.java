package dev.holdfast.jdbc;

import java.sql.SQLException;

/** MariaDB: as MySQL, but for its versions and an error of its own. */
final class MariaDbDialect extends MySqlDialect {

  private static final int RECORD_HAS_CHANGED = 1020;

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

  /** Newer ones refuse, above READ COMMITTED, to lock a row that is newer than the snapshot. */
  @Override
  public boolean isRetryable(SQLException failure) {
    return rootOf(failure).getErrorCode() == RECORD_HAS_CHANGED || super.isRetryable(failure);
  }
}
