package dev.holdfast.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads whole queues. Safe for any threads. */
final class QueueReader {

  private static final int TOKEN = 1 + Rows.LOCK_WIDTH + Rows.CLAIM_WIDTH + 1;

  private final Dialect dialect;
  private final OwnerCodec owners;
  private final Rows rows;
  private final NameList lock;
  private final NameList snapshot;
  private final String takeOrRead;
  private final String listFrom;
  private final String listBetween;

  QueueReader(Dialect dialect, OwnerCodec owners) {
    this.dialect = dialect;
    this.owners = owners;
    rows = new Rows(dialect, owners);
    lock =
        new NameList(
            names ->
                "SELECT 1 FROM holdfast_lock WHERE name IN (%s) ORDER BY name%s"
                    .formatted(names, dialect.forUpdate()));
    snapshot =
        new NameList(
            names ->
                joined(dialect, "(SELECT * FROM holdfast_lock WHERE name IN (" + names + "))"));
    takeOrRead = takeOrRead(dialect);
    listFrom = joined(dialect, inUse(dialect, ""));
    listBetween = joined(dialect, inUse(dialect, " AND k.name < ?"));
  }

  /**
   * The queues of these locks, to be changed in the running transaction; where the session takes
   * scripts, in one that begins with it. Their rows are locked first and in the order of their
   * names, so that two transactions seldom wait for each other. They are read afterwards, by a
   * statement of its own: it sees what the transaction before ours wrote, and its clock is not
   * older than that.
   */
  Map<String, StoredQueue> forUpdate(Session session, Collection<String> names)
      throws SQLException {
    List<String> sorted = names.stream().distinct().sorted().toList();
    Snapshot read = session.takesScripts() ? begin(session, sorted) : lock(session, sorted);
    for (String name : sorted) {
      read.queues.computeIfAbsent(
          name, absent -> StoredQueue.absent(new LockQueue(name, read.clock, owners)));
    }
    return read.queues;
  }

  /** The queue of a lock, in a running transaction that keeps others from it; null without row. */
  @Nullable StoredQueue locked(Session session, String name) throws SQLException {
    return lock(session, List.of(name)).queues.get(name);
  }

  private Snapshot begin(Session session, List<String> names) throws SQLException {
    return new Script()
        .addAll(dialect.beginning())
        .add(lock.text(names), binding(lock, names))
        .ask(snapshot.text(names), binding(snapshot, names))
        .run(session, this::read);
  }

  private Script.Binding binding(NameList list, List<String> names) {
    return (statement, before) -> list.bind(dialect, statement, before, names);
  }

  private Snapshot lock(Session session, List<String> names) throws SQLException {
    if (!dialect.forUpdate().isEmpty()) {
      lock.prepare(session, names).executeQuery().close();
    }
    return read(snapshot.prepare(session, names));
  }

  /** The queues of these locks as of one moment; those that have no row are left out. */
  Map<String, StoredQueue> snapshot(Session session, List<String> names) throws SQLException {
    return read(snapshot.prepare(session, names)).queues;
  }

  /** The queue of a lock as of one moment; null without row. */
  @Nullable StoredQueue snapshot(Session session, String name) throws SQLException {
    return snapshot(session, List.of(name)).get(name);
  }

  /**
   * The statement that takes a lock that is free and reads the queue of one that is not: the
   * parameters are those of {@link Dialect#takeFree}, then the name once more. It sees the queue as
   * of its start. Where it takes nothing, a queue that was busy then is an answer; one that was not
   * has become busy since, and is none.
   */
  String takeOrRead() {
    return takeOrRead;
  }

  /** What that statement did, with its parameters bound. */
  TakenOrRead takeOrRead(PreparedStatement statement, String name) throws SQLException {
    try (ResultSet result = statement.executeQuery()) {
      StoredQueue stored = read(result).queues.get(name);
      // Without a queue it is at the only row still, which has the token if the lock was taken.
      return new TakenOrRead(stored == null ? result.getLong(TOKEN) : 0, stored);
    }
  }

  /**
   * What became of a lock that was to be taken if it is free.
   *
   * @param token 0 if it was not taken
   * @param stored its queue, if it was not and had a row
   */
  record TakenOrRead(long token, @Nullable StoredQueue stored) {}

  /** The first so many locks in use from this name on, and before that one, as of one moment. */
  Map<String, StoredQueue> list(Session session, String first, @Nullable String end, int limit)
      throws SQLException {
    PreparedStatement statement = session.prepare(end == null ? listFrom : listBetween);
    int index = 1;
    dialect.setText(statement, index++, first);
    if (end != null) {
      dialect.setText(statement, index++, end);
    }
    statement.setInt(index, limit);
    return read(statement).queues;
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

  private static String takeOrRead(Dialect dialect) {
    return """
        WITH taken AS (%s)
        SELECT t.now, %s, %s, taken.token FROM (SELECT %s AS now) t LEFT JOIN taken ON 1 = 1
        LEFT JOIN holdfast_lock l ON l.name = ? AND taken.token IS NULL
        LEFT JOIN holdfast_claim c ON c.lock_name = l.name ORDER BY c.seq"""
        .formatted(dialect.takeFree(), Rows.LOCK_COLUMNS, Rows.CLAIM_COLUMNS, dialect.clock());
  }

  // The clock is told even if there is no such lock.
  private static String joined(Dialect dialect, String locks) {
    return """
        SELECT t.now, %s, %s FROM (SELECT %s AS now) t LEFT JOIN %s l ON 1 = 1
        LEFT JOIN holdfast_claim c ON c.lock_name = l.name ORDER BY l.name, c.seq"""
        .formatted(Rows.LOCK_COLUMNS, Rows.CLAIM_COLUMNS, dialect.clock(), locks);
  }

  private Snapshot read(PreparedStatement statement) throws SQLException {
    try (ResultSet result = statement.executeQuery()) {
      return read(result);
    }
  }

  private Snapshot read(ResultSet result) throws SQLException {
    Map<String, StoredQueue> queues = new LinkedHashMap<>(); // in the database's order
    DbClock clock = null;
    while (result.next()) {
      clock = new DbClock(result.getLong(1), dialect.clockStep());
      String name = dialect.getText(result, 2);
      if (name == null) {
        break;
      }
      StoredQueue stored = queues.get(name);
      if (stored == null) {
        stored = rows.lock(result, 1, clock);
        queues.put(name, stored);
      }
      if (result.getString(Rows.LOCK_WIDTH + 4) != null) {
        rows.claim(result, Rows.LOCK_WIDTH + 1, stored);
      }
    }
    if (clock == null) {
      throw new SQLException("no clock");
    }
    return new Snapshot(clock, queues);
  }

  /** Queues as of one moment. */
  private record Snapshot(DbClock clock, Map<String, StoredQueue> queues) {}
}
