package dev.holdfast.jdbc.queue;

import dev.holdfast.Diagnosis;
import dev.holdfast.Finding;
import dev.holdfast.LockInfo;
import dev.holdfast.StoreException;
import dev.holdfast.jdbc.sql.StoreConnection;
import dev.holdfast.jdbc.sql.TableSafety;
import java.lang.System.Logger.Level;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** Reads locks for inspect and list, one query each, without the ids of claims. Thread-safe. */
public final class Reader {

  private static final System.Logger LOG = System.getLogger(Reader.class.getName());

  private final QueueReader reader;

  public Reader(QueueReader reader) {
    this.reader = reader;
  }

  public LockInfo inspect(StoreConnection connection, String lock) throws SQLException {
    LoadedQueue stored = reader.snapshot(connection, lock);
    return stored == null ? LockInfo.free(lock) : stored.queue().info();
  }

  public List<LockInfo> list(StoreConnection connection, String prefix, int limit)
      throws SQLException {
    if (limit <= 0 || !NamePrefix.isPossible(prefix)) {
      return List.of();
    }
    List<LockInfo> result = new ArrayList<>();
    for (LoadedQueue stored :
        reader.list(connection, prefix, NamePrefix.end(prefix), limit).values()) {
      StoreException unreadable = stored.refusal();
      if (unreadable == null) {
        result.add(stored.queue().info());
      } else {
        LOG.log(Level.WARNING, "Skipping a lock in the listing: " + unreadable.getMessage());
      }
    }
    return result;
  }

  /** The database's clock, and settings that endanger locks. */
  public Diagnosis diagnose(StoreConnection connection) throws SQLException {
    List<Finding> findings = new ArrayList<>(connection.dialect().examine(connection));
    findings.addAll(TableSafety.examine(connection));
    try (ResultSet rows =
        connection.prepare("SELECT " + connection.dialect().clock()).executeQuery()) {
      rows.next();
      return new Diagnosis(Instant.EPOCH.plus(rows.getLong(1), ChronoUnit.MICROS), findings);
    }
  }
}
