package dev.holdfast.jdbc;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Writes back what has changed in queues that were read for update, and tells the clients of whom
 * it let in, and of whoever is next behind a claim that lingers now. The granted head of a queue
 * goes into the lock row, everything else into rows of its own. Holds the rows of one transaction;
 * not thread-safe.
 */
final class QueueWriter {

  private static final String INSERT_LOCK =
      "INSERT INTO holdfast_lock (kind, capacity, last_token, queued, claim_id, weight, token,"
          + " since, ttl, expires, owner, claim_value, name, format)"
          + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
          + Schema.FORMAT
          + ")";
  private static final String UPDATE_LOCK =
      "UPDATE holdfast_lock SET kind = ?, capacity = ?, last_token = ?, queued = ?, claim_id = ?,"
          + " weight = ?, token = ?, since = ?, ttl = ?, expires = ?, owner = ?, claim_value = ?"
          + " WHERE name = ?";
  private static final String INSERT_CLAIM =
      "INSERT INTO holdfast_claim (state, weight, token, since, ttl, expires, token_floor,"
          + " owner, claim_value, channel, lock_name, seq, claim_id)"
          + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
  private static final String UPDATE_CLAIM =
      "UPDATE holdfast_claim SET state = ?, weight = ?, token = ?, since = ?, ttl = ?,"
          + " expires = ?, token_floor = ?, owner = ?, claim_value = ?, channel = ? WHERE lock_name = ? AND seq = ?";
  private static final String DELETE_CLAIM =
      "DELETE FROM holdfast_claim WHERE lock_name = ? AND seq = ?";

  /** More rows than this are a matter of batches, one for each statement. */
  private static final int LONGEST_SCRIPT = 6;

  /** A statement with its values. */
  private record Row(String sql, Script.Binding binding) {}

  private final Dialect dialect;

  // Mutable state
  private final List<Row> rows = new ArrayList<>();

  private QueueWriter(Dialect dialect) {
    this.dialect = dialect;
  }

  /**
   * Writes; where the session takes scripts, it commits, too.
   *
   * @param listener the client that needs no telling
   */
  static void write(Session session, Collection<StoredQueue> queues, @Nullable String listener)
      throws SQLException {
    QueueWriter writer = new QueueWriter(session.dialect());
    for (StoredQueue stored : queues) {
      writer.write(stored);
    }
    for (StoredQueue stored : queues) {
      writer.announce(stored.queue(), listener);
    }
    writer.run(session);
  }

  private void write(StoredQueue stored) {
    LockQueue queue = stored.queue();
    Entry first = queue.entries.isEmpty() ? null : queue.entries.get(0);
    Entry head = first != null && first.isLive() && first.isGranted() ? first : null;
    // An unchanged lock row tells others that its queue is the same, so one who comes for one who
    // goes is written there, too, though their number stays.
    boolean others = false;
    for (Entry entry : queue.removed) {
      others |= deleteRow(stored, entry);
    }
    for (Entry entry : queue.entries) {
      others |= entry == head ? deleteRow(stored, entry) : writeRow(stored, entry);
    }
    for (Entry tombstone : queue.tombstones) {
      others |= writeRow(stored, tombstone);
    }
    int claimRows = queue.entries.size() + queue.tombstones.size() - (head == null ? 0 : 1);
    if (others || stored.lockRowChanged(head, claimRows)) {
      writeLock(stored, head, claimRows);
    }
  }

  /** Whether there is a row less. */
  private boolean deleteRow(StoredQueue stored, Entry entry) {
    if (entry.place != Entry.Place.CLAIM_ROW) {
      return false;
    }
    add(
        DELETE_CLAIM,
        (statement, before) -> {
          dialect.setText(statement, before + 1, stored.name());
          statement.setLong(before + 2, entry.seq);
        });
    return true;
  }

  /** Whether there is a row more. */
  private boolean writeRow(StoredQueue stored, Entry entry) {
    if (entry.place == Entry.Place.CLAIM_ROW) {
      if (entry.changed) {
        add(UPDATE_CLAIM, (statement, before) -> bindClaim(statement, before, stored, entry));
      }
      return false;
    }
    entry.seq = entry.place == Entry.Place.LOCK_ROW ? stored.seqInFront() : stored.seqAtEnd();
    add(
        INSERT_CLAIM,
        (statement, before) -> {
          bindClaim(statement, before, stored, entry);
          statement.setString(before + 13, entry.id);
        });
    return true;
  }

  private void bindClaim(PreparedStatement statement, int before, StoredQueue stored, Entry entry)
      throws SQLException {
    statement.setString(before + 1, entry.state.name());
    statement.setInt(before + 2, entry.weight);
    statement.setLong(before + 3, entry.token);
    statement.setLong(before + 4, entry.since);
    statement.setLong(before + 5, entry.ttl);
    statement.setLong(before + 6, entry.expires);
    statement.setLong(before + 7, entry.floor);
    dialect.setText(statement, before + 8, entry.owner);
    dialect.setText(statement, before + 9, entry.value);
    statement.setString(before + 10, entry.channel);
    dialect.setText(statement, before + 11, stored.name());
    statement.setLong(before + 12, entry.seq);
  }

  private void writeLock(StoredQueue stored, @Nullable Entry head, int claimRows) {
    LockQueue queue = stored.queue();
    add(
        stored.exists() ? UPDATE_LOCK : INSERT_LOCK,
        (statement, before) -> {
          statement.setString(before + 1, queue.kind.name());
          statement.setInt(before + 2, queue.capacity);
          statement.setLong(before + 3, queue.lastToken);
          statement.setInt(before + 4, claimRows);
          statement.setString(before + 5, head == null ? null : head.id);
          statement.setInt(before + 6, head == null ? 0 : head.weight);
          statement.setLong(before + 7, head == null ? 0 : head.token);
          statement.setLong(before + 8, head == null ? 0 : head.since);
          statement.setLong(before + 9, head == null ? 0 : head.ttl);
          statement.setLong(before + 10, head == null ? 0 : head.expires);
          dialect.setText(statement, before + 11, head == null ? null : head.owner);
          dialect.setText(statement, before + 12, head == null ? null : head.value);
          dialect.setText(statement, before + 13, queue.name);
        });
  }

  private void announce(LockQueue queue, @Nullable String listener) {
    String announcement = dialect.announcement();
    if (announcement != null) {
      Stream.concat(queue.promoted.stream(), Stream.ofNullable(queue.newlyBehindLinger()))
          .map(entry -> entry.channel)
          .filter(channel -> channel != null && !channel.equals(listener))
          .distinct()
          .forEach(channel -> add(announcement, announcing(queue.name, channel)));
    }
  }

  private static Script.Binding announcing(String lock, @Nullable String channel) {
    return (statement, before) -> {
      statement.setString(before + 1, channel);
      statement.setString(before + 2, lock);
    };
  }

  private void add(String sql, Script.Binding binding) {
    rows.add(new Row(sql, binding));
  }

  private void run(Session session) throws SQLException {
    Script script = new Script();
    if (session.takesScripts() && rows.size() <= LONGEST_SCRIPT) {
      rows.forEach(row -> script.add(row.sql, row.binding));
    } else {
      batches(session);
    }
    if (session.takesScripts()) {
      script.addAll(dialect.ending()).run(session);
    }
  }

  private void batches(Session session) throws SQLException {
    Map<String, List<Row>> bySql =
        rows.stream()
            .collect(Collectors.groupingBy(Row::sql, LinkedHashMap::new, Collectors.toList()));
    for (Map.Entry<String, List<Row>> of : bySql.entrySet()) {
      PreparedStatement statement = session.prepare(of.getKey());
      // A single row is no batch: some drivers prepare for one at length. Nor is a query.
      if (of.getValue().size() == 1 || of.getKey().equals(dialect.announcement())) {
        for (Row row : of.getValue()) {
          row.binding.bind(statement, 0);
          statement.execute();
        }
        continue;
      }
      for (Row row : of.getValue()) {
        row.binding.bind(statement, 0);
        statement.addBatch();
      }
      statement.executeBatch();
    }
  }
}
