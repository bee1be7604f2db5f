package dev.holdfast.jdbc;

import dev.holdfast.Consistency;
import dev.holdfast.Traits;
import dev.holdfast.spi.StoreUrl;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteErrorCode;

/**
 * SQLite, through the Xerial driver. One writer at a time: one connection is enough, and a
 * transaction takes the write lock when it begins, because one that reads first and writes later
 * can fail at that point with nothing to be done about it.
 */
final class SqliteDialect implements Dialect {

  /** SQLite knows the time in whole milliseconds; rounding undoes the division by a day. */
  static final String CLOCK =
      "((CAST(round(julianday('now') * 86400000.0) AS INTEGER) - 210866760000000) * 1000)";

  private static final long CLOCK_STEP = 1_000;

  private static final Traits TRAITS =
      Traits.builder()
          .fair()
          .ttl(Duration.ofMillis(100), Duration.ofDays(365))
          .ttlResolution(Duration.ofMillis(1))
          .expiryLag(Duration.ofMillis(2)) // a step of the clock at each end
          .allKinds()
          .lingers()
          .detachable()
          .durable()
          .consistency(Consistency.LINEARIZABLE)
          .spansProcesses()
          .build();

  private final String clock;
  private final long clockStep;

  SqliteDialect() {
    this(CLOCK, CLOCK_STEP);
  }

  /** With another clock, for tests that set it. */
  SqliteDialect(String clock, long clockStep) {
    this.clock = clock;
    this.clockStep = clockStep;
  }

  @Override
  public String product() {
    return "SQLite";
  }

  @Override
  public String tables() {
    return "sqlite.sql";
  }

  @Override
  public void check(String url) {
    if (!url.startsWith("jdbc:sqlite:")) {
      throw new IllegalArgumentException(
          "'" + StoreUrl.redact(url) + "' does not tell the file; it must start with jdbc:sqlite:");
    }
    String path = url.substring("jdbc:sqlite:".length()).replaceFirst("\\?.*", "");
    SqliteFile.of("sqlite:" + path.replaceFirst("^file:", "")).check();
  }

  @Override
  public String findTables() {
    return "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'holdfast_schema'";
  }

  @Override
  public Traits traits() {
    return TRAITS;
  }

  @Override
  public int connections() {
    return 1;
  }

  @Override
  public String clock() {
    return clock;
  }

  @Override
  public long clockStep() {
    return clockStep;
  }

  // The row to insert carries what depends on the clock and the claim alone; the update adds what
  // depends on the row that is there. Busy changes nothing and returns nothing: whoever may have to
  // queue is answered under the lock row anyway. The decision rests on that row only.
  @Override
  public String takeFree() {
    return """
        INSERT INTO holdfast_lock AS l (name, format, kind, capacity, last_token, queued,
            claim_id, weight, token, since, ttl, expires, owner, claim_value)
        SELECT c.name, 1, c.kind, c.capacity, max(c.now, c.floor + 1) + c.spares, 0,
            c.id, c.weight, max(c.now, c.floor + 1), c.now, c.ttl, c.now + c.ttl, c.owner, c.value
        FROM (SELECT ? AS name, ? AS kind, ? AS capacity, ? AS id, ? AS weight, ? AS ttl,
            ? AS owner, ? AS value, ? AS floor, ? AS spares, %s AS now) AS c
        WHERE true
        ON CONFLICT (name) DO UPDATE SET
            kind = excluded.kind,
            capacity = excluded.capacity,
            last_token = max(l.last_token + 1, excluded.token)
                + excluded.last_token - excluded.token,
            claim_id = excluded.claim_id,
            weight = excluded.weight,
            token = max(l.last_token + 1, excluded.token),
            since = excluded.since,
            ttl = excluded.ttl,
            expires = excluded.expires,
            owner = excluded.owner,
            claim_value = excluded.claim_value
        WHERE l.queued = 0 AND l.format = 1
            AND (l.claim_id IS NULL OR l.expires <= excluded.since)
        RETURNING token"""
        .formatted(clock);
  }

  @Override
  public String forUpdate() {
    return ""; // the transaction has the write lock
  }

  @Override
  public void begin(Session session) throws SQLException {
    session.run("BEGIN IMMEDIATE");
  }

  @Override
  public void commit(Session session) throws SQLException {
    session.run("COMMIT");
  }

  @Override
  public void rollback(Session session) throws SQLException {
    session.run("ROLLBACK");
  }

  @Override
  public boolean isRetryable(SQLException failure) {
    return switch (SQLiteErrorCode.getErrorCode(primaryCode(failure))) {
      case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL -> true;
      default -> false;
    };
  }

  @Override
  public String explain(SQLException failure) {
    return switch (SQLiteErrorCode.getErrorCode(primaryCode(failure))) {
      case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL ->
          "others kept the file locked all the time";
      case SQLITE_NOTADB -> "the file is not a SQLite database; name another file";
      case SQLITE_CORRUPT -> "the file is damaged; move it away to start anew";
      case SQLITE_CANTOPEN ->
          "the file cannot be opened or created; its directory must be writable";
      case SQLITE_READONLY, SQLITE_PERM ->
          "the file or its directory is read-only; this user must be able to write both";
      case SQLITE_FULL -> "the disk is full";
      case SQLITE_IOERR -> "the disk reported an error (" + failure.getMessage() + ")";
      default -> String.valueOf(failure.getMessage());
    };
  }

  @Override
  public Restore prepare(Connection connection) throws SQLException {
    boolean autoCommit = connection.getAutoCommit();
    if (!autoCommit) {
      connection.setAutoCommit(true);
    }
    if (!connection.isWrapperFor(SQLiteConnection.class)) {
      return () -> connection.setAutoCommit(autoCommit);
    }
    // The driver would wait longer than the operation has: we wait ourselves.
    SQLiteConnection sqlite = connection.unwrap(SQLiteConnection.class);
    int busyTimeout = sqlite.getBusyTimeout();
    sqlite.setBusyTimeout(0);
    return () -> {
      sqlite.setBusyTimeout(busyTimeout);
      if (!autoCommit) {
        connection.setAutoCommit(false);
      }
    };
  }

  // Extended codes keep the primary one in the low byte.
  private static int primaryCode(SQLException failure) {
    return failure.getErrorCode() & 0xff;
  }
}
