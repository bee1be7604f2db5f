package dev.holdfast.jdbc.queue;

import static java.util.Objects.requireNonNull;

import dev.holdfast.jdbc.sql.DbClock;
import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.jdbc.sql.NameList;
import dev.holdfast.jdbc.sql.OwnerCodec;
import dev.holdfast.jdbc.sql.Script;
import dev.holdfast.jdbc.sql.StoreConnection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads whole queues. Thread-safe. */
public final class QueueReader {

  private static final int TOKEN = 1 + RowReader.LOCK_WIDTH + RowReader.CLAIM_WIDTH + 1;

  private final Dialect dialect;
  private final OwnerCodec owners;
  private final RowReader rows;
  private final NameList lock;
  private final NameList lockFree;
  private final NameList snapshot;
  private final String takeOrRead;
  private final String listFrom;
  private final String listBetween;

  public QueueReader(Dialect dialect, OwnerCodec owners) {
    this.dialect = dialect;
    this.owners = owners;
    rows = new RowReader(dialect, owners);
    lock = new NameList(names -> locking(names, dialect.forUpdate()));
    lockFree = new NameList(names -> locking(names, dialect.forUpdate() + " SKIP LOCKED"));
    snapshot =
        new NameList(
            names ->
                joined(dialect, "(SELECT * FROM holdfast_lock WHERE name IN (" + names + "))"));
    takeOrRead = takeOrRead(dialect);
    listFrom = joined(dialect, inUse(dialect, ""));
    listBetween = joined(dialect, inUse(dialect, " AND k.name < ?"));
  }

  /**
   * Reads queues to change them in the running transaction; on a connection that takes scripts, in
   * one that begins here. Their rows are locked first, in the order of their names, so that two
   * transactions seldom wait for each other. A separate statement reads them afterwards: it sees
   * what the transaction before ours wrote, and its clock is not older than that.
   *
   * @param unlocked whether to leave those out whose rows are locked by others, where the server
   *     can: no lock waits for another one's row
   */
  public Map<String, LoadedQueue> forUpdate(
      StoreConnection connection, Collection<String> names, boolean unlocked) throws SQLException {
    List<String> sorted = names.stream().distinct().sorted().toList();
    boolean skips = unlocked && dialect.skipsLocked(connection.jdbc().getMetaData());
    NameList locking = skips ? lockFree : lock;
    Set<String> locked = new HashSet<>();
    Snapshot read =
        connection.takesScripts()
            ? begin(connection, locking, sorted, locked)
            : lock(connection, locking, sorted, locked);
    for (String name : sorted) {
      read.queues.computeIfAbsent(
          name, absent -> new LoadedQueue(LoadedQueue.empty(name, read.clock, owners), false, 0));
    }
    boolean someAreNotOurs =
        !dialect.forUpdate().isEmpty()
            && read.queues.values().removeIf(q -> q.exists() && !locked.contains(q.lock()));
    if (someAreNotOurs && !skips) {
      throw new SQLException("The row of a lock was added while it was to be locked", "40001");
    }
    return read.queues;
  }

  /** Reads the queue of a lock for update in a running transaction; null without a row. */
  public @Nullable LoadedQueue locked(StoreConnection connection, String name) throws SQLException {
    return lock(connection, lock, List.of(name), new HashSet<>()).queues.get(name);
  }

  private Snapshot begin(
      StoreConnection connection, NameList locking, List<String> names, Set<String> locked)
      throws SQLException {
    return new Script()
        .addAll(dialect.beginning())
        .read(result -> addNames(result, locked), locking.text(names), values(names))
        .ask(snapshot.text(names), values(names))
        .run(connection, this::read);
  }

  private Snapshot lock(
      StoreConnection connection, NameList locking, List<String> names, Set<String> locked)
      throws SQLException {
    if (!dialect.forUpdate().isEmpty()) {
      try (ResultSet result = prepare(connection, locking, names).executeQuery()) {
        addNames(result, locked);
      }
    }
    return read(prepare(connection, snapshot, names));
  }

  private static String locking(String names, String how) {
    return "SELECT name FROM holdfast_lock WHERE name IN (%s) ORDER BY name%s"
        .formatted(names, how);
  }

  private boolean addNames(ResultSet result, Set<String> names) throws SQLException {
    while (result.next()) {
      names.add(requireNonNull(dialect.getText(result, 1)));
    }
    return true;
  }

  private PreparedStatement prepare(StoreConnection connection, NameList list, List<String> names)
      throws SQLException {
    return connection.prepare(list.text(names), values(names));
  }

  private @Nullable Object[] values(List<String> names) {
    return NameList.values(dialect, names);
  }

  /** Reads queues as of one moment; locks without a row are left out. */
  public Map<String, LoadedQueue> snapshot(StoreConnection connection, List<String> names)
      throws SQLException {
    return read(prepare(connection, snapshot, names)).queues;
  }

  /** Reads a queue as of one moment; null without a row. */
  public @Nullable LoadedQueue snapshot(StoreConnection connection, String name)
      throws SQLException {
    return snapshot(connection, List.of(name)).get(name);
  }

  /**
   * Returns the statement that takes a free lock, and reads the queue of one that is not: the
   * parameters are those of {@link Dialect#takeFree}, then the name once more. It sees the queue as
   * of its start. If it takes nothing, a queue that was busy then is an answer; one that was not
   * has become busy since, and is none.
   */
  String takeOrRead() {
    return takeOrRead;
  }

  /** Runs that statement, with its parameters bound. */
  TakenOrRead takeOrRead(PreparedStatement statement, String name) throws SQLException {
    try (ResultSet result = statement.executeQuery()) {
      LoadedQueue stored = read(result).queues.get(name);
      // Without a queue the cursor is still at the only row, which has the token if the lock was
      // taken.
      return new TakenOrRead(stored == null ? result.getLong(TOKEN) : 0, stored);
    }
  }

  /**
   * The result of taking a lock if it is free.
   *
   * @param token 0 if it was not taken
   * @param stored its queue, if it was not taken and had a row
   */
  record TakenOrRead(long token, @Nullable LoadedQueue stored) {}

  /** Reads the first locks in use from this name on, and before that one, as of one moment. */
  public Map<String, LoadedQueue> list(
      StoreConnection connection, String first, @Nullable String end, int limit)
      throws SQLException {
    Object from = dialect.text(first);
    PreparedStatement statement =
        end == null
            ? connection.prepare(listFrom, from, limit)
            : connection.prepare(listBetween, from, dialect.text(end), limit);
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
        .formatted(
            dialect.takeFree(), RowReader.LOCK_COLUMNS, RowReader.CLAIM_COLUMNS, dialect.clock());
  }

  // Returns the clock even if there is no such lock.
  private static String joined(Dialect dialect, String locks) {
    return """
        SELECT t.now, %s, %s FROM (SELECT %s AS now) t LEFT JOIN %s l ON 1 = 1
        LEFT JOIN holdfast_claim c ON c.lock_name = l.name ORDER BY l.name, c.seq"""
        .formatted(RowReader.LOCK_COLUMNS, RowReader.CLAIM_COLUMNS, dialect.clock(), locks);
  }

  private Snapshot read(PreparedStatement statement) throws SQLException {
    try (ResultSet result = statement.executeQuery()) {
      return read(result);
    }
  }

  private Snapshot read(ResultSet result) throws SQLException {
    Map<String, LoadedQueue> queues = new LinkedHashMap<>(); // in the database's order
    DbClock clock = null;
    while (result.next()) {
      clock = new DbClock(result.getLong(1), dialect.clockStep());
      String name = dialect.getText(result, 2);
      if (name == null) {
        break;
      }
      LoadedQueue stored = queues.get(name);
      if (stored == null) {
        stored = rows.lock(result, 1, clock);
        queues.put(name, stored);
      }
      if (result.getString(RowReader.LOCK_WIDTH + 4) != null) {
        rows.claim(result, RowReader.LOCK_WIDTH + 1, stored);
      }
    }
    if (clock == null) {
      throw new SQLException("the query returned no clock");
    }
    return new Snapshot(clock, queues);
  }

  /** Queues as of one moment. */
  private record Snapshot(DbClock clock, Map<String, LoadedQueue> queues) {}
}
