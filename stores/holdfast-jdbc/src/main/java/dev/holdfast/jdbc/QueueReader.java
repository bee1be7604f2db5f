package dev.holdfast.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads whole queues. Safe for any threads. */
final class QueueReader {

  private final long clockStep;
  private final OwnerCodec owners;
  private final String clock;
  private final NameList locks;
  private final NameList claims;
  private final NameList snapshot;
  private final String listFrom;
  private final String listBetween;

  QueueReader(Dialect dialect, OwnerCodec owners) {
    this.owners = owners;
    clockStep = dialect.clockStep();
    clock = "SELECT " + dialect.clock();
    locks =
        new NameList(
            names ->
                "SELECT %s, %s FROM holdfast_lock l WHERE l.name IN (%s) ORDER BY l.name%s"
                    .formatted(dialect.clock(), Rows.LOCK_COLUMNS, names, dialect.forUpdate()));
    claims =
        new NameList(
            names ->
                "SELECT %s FROM holdfast_claim c WHERE c.lock_name IN (%s) ORDER BY c.lock_name, c.seq"
                    .formatted(Rows.CLAIM_COLUMNS, names));
    snapshot =
        new NameList(
            names ->
                joined(dialect, "(SELECT * FROM holdfast_lock WHERE name IN (" + names + "))"));
    listFrom = joined(dialect, inUse(dialect, ""));
    listBetween = joined(dialect, inUse(dialect, " AND k.name < ?"));
  }

  /**
   * The queues of these locks, to be changed in the running transaction. Their rows are locked
   * first and in the order of their names, so that two transactions never wait for each other;
   * claims are read afterwards by a statement of their own, which sees what the transaction before
   * ours wrote.
   */
  Map<String, StoredQueue> forUpdate(Session session, Collection<String> names)
      throws SQLException {
    List<String> sorted = names.stream().distinct().sorted().toList();
    Map<String, StoredQueue> queues = readLocks(session, sorted);
    if (queues.size() < sorted.size()) {
      DbClock now = readClock(session);
      for (String name : sorted) {
        queues.computeIfAbsent(
            name, absent -> StoredQueue.absent(new LockQueue(name, now, owners)));
      }
    }
    List<String> queued =
        queues.values().stream()
            .filter(stored -> stored.claimRows() > 0)
            .map(StoredQueue::name)
            .toList();
    if (!queued.isEmpty()) {
      readClaims(session, queued, queues);
    }
    return queues;
  }

  /** The queues of these locks as of one moment; those that have no row are left out. */
  Map<String, StoredQueue> snapshot(Session session, List<String> names) throws SQLException {
    return readJoined(snapshot.prepare(session, names));
  }

  /** The first so many locks in use from this name on, and before that one, as of one moment. */
  Map<String, StoredQueue> list(Session session, String first, @Nullable String end, int limit)
      throws SQLException {
    PreparedStatement statement = session.prepare(end == null ? listFrom : listBetween);
    int index = 1;
    statement.setString(index++, first);
    if (end != null) {
      statement.setString(index++, end);
    }
    statement.setInt(index, limit);
    return readJoined(statement);
  }

  private static String inUse(Dialect dialect, String end) {
    return """
        (SELECT k.* FROM holdfast_lock k WHERE k.name >= ?%s
            AND ((k.claim_id IS NOT NULL AND k.expires > %s)
              OR (k.queued > 0 AND EXISTS (SELECT 1 FROM holdfast_claim w
                  WHERE w.lock_name = k.name AND w.state <> 'TOMBSTONE' AND w.expires > %s)))
        ORDER BY k.name LIMIT ?)"""
        .formatted(end, dialect.clock(), dialect.clock());
  }

  private static String joined(Dialect dialect, String locks) {
    return "SELECT %s, %s, %s FROM %s l LEFT JOIN holdfast_claim c ON c.lock_name = l.name ORDER BY l.name, c.seq"
        .formatted(dialect.clock(), Rows.LOCK_COLUMNS, Rows.CLAIM_COLUMNS, locks);
  }

  private Map<String, StoredQueue> readJoined(PreparedStatement statement) throws SQLException {
    Map<String, StoredQueue> queues = new LinkedHashMap<>(); // in the database's order
    try (ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        String name = rows.getString(2);
        StoredQueue stored = queues.get(name);
        if (stored == null) {
          stored = Rows.lock(rows, 1, clock(rows), owners);
          queues.put(name, stored);
        }
        if (rows.getString(Rows.LOCK_WIDTH + 2) != null) {
          Rows.claim(rows, Rows.LOCK_WIDTH + 1, stored);
        }
      }
    }
    return queues;
  }

  private Map<String, StoredQueue> readLocks(Session session, List<String> names)
      throws SQLException {
    SortedMap<String, StoredQueue> queues = new TreeMap<>();
    try (ResultSet rows = locks.prepare(session, names).executeQuery()) {
      while (rows.next()) {
        queues.put(rows.getString(2), Rows.lock(rows, 1, clock(rows), owners));
      }
    }
    return queues;
  }

  private void readClaims(Session session, List<String> names, Map<String, StoredQueue> into)
      throws SQLException {
    try (ResultSet rows = claims.prepare(session, names).executeQuery()) {
      while (rows.next()) {
        StoredQueue stored = into.get(rows.getString(1));
        if (stored != null) {
          Rows.claim(rows, 0, stored);
        }
      }
    }
  }

  private DbClock readClock(Session session) throws SQLException {
    try (ResultSet rows = session.prepare(clock).executeQuery()) {
      rows.next();
      return clock(rows);
    }
  }

  private DbClock clock(ResultSet rows) throws SQLException {
    return new DbClock(rows.getLong(1), clockStep);
  }
}
