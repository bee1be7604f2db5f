package dev.holdfast.jdbc;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes back what has changed in queues that were read for update. The granted head of a queue
 * goes into the lock row, everything else into rows of its own. Holds the batches of one
 * transaction; not thread-safe.
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

  private final Session session;

  // Mutable state: how many rows each statement has, the last of which is only bound
  private final Map<PreparedStatement, Integer> rows = new LinkedHashMap<>();

  private QueueWriter(Session session) {
    this.session = session;
  }

  static void write(Session session, Collection<StoredQueue> queues) throws SQLException {
    QueueWriter writer = new QueueWriter(session);
    for (StoredQueue stored : queues) {
      writer.write(stored);
    }
    writer.flush();
  }

  private void write(StoredQueue stored) throws SQLException {
    LockQueue queue = stored.queue();
    Entry first = queue.entries.isEmpty() ? null : queue.entries.get(0);
    Entry head = first != null && first.isLive() && first.isGranted() ? first : null;
    for (Entry entry : queue.removed) {
      deleteRow(stored, entry);
    }
    for (Entry entry : queue.entries) {
      if (entry == head) {
        deleteRow(stored, entry);
      } else {
        writeRow(stored, entry);
      }
    }
    for (Entry tombstone : queue.tombstones) {
      writeRow(stored, tombstone);
    }
    int claimRows = queue.entries.size() + queue.tombstones.size() - (head == null ? 0 : 1);
    if (stored.lockRowChanged(head, claimRows)) {
      writeLock(stored, head, claimRows);
    }
  }

  private void deleteRow(StoredQueue stored, Entry entry) throws SQLException {
    if (entry.place == Entry.Place.CLAIM_ROW) {
      PreparedStatement statement = row(DELETE_CLAIM);
      session.dialect().setText(statement, 1, stored.name());
      statement.setLong(2, entry.seq);
    }
  }

  private void writeRow(StoredQueue stored, Entry entry) throws SQLException {
    if (entry.place == Entry.Place.CLAIM_ROW) {
      if (entry.changed) {
        bindClaim(UPDATE_CLAIM, stored, entry);
      }
      return;
    }
    entry.seq = entry.place == Entry.Place.LOCK_ROW ? stored.seqInFront() : stored.seqAtEnd();
    PreparedStatement statement = bindClaim(INSERT_CLAIM, stored, entry);
    statement.setString(13, entry.id);
  }

  private PreparedStatement bindClaim(String sql, StoredQueue stored, Entry entry)
      throws SQLException {
    PreparedStatement statement = row(sql);
    statement.setString(1, entry.state.name());
    statement.setInt(2, entry.weight);
    statement.setLong(3, entry.token);
    statement.setLong(4, entry.since);
    statement.setLong(5, entry.ttl);
    statement.setLong(6, entry.expires);
    statement.setLong(7, entry.floor);
    session.dialect().setText(statement, 8, entry.owner);
    session.dialect().setText(statement, 9, entry.value);
    statement.setString(10, entry.channel);
    session.dialect().setText(statement, 11, stored.name());
    statement.setLong(12, entry.seq);
    return statement;
  }

  private void writeLock(StoredQueue stored, @Nullable Entry head, int claimRows)
      throws SQLException {
    LockQueue queue = stored.queue();
    PreparedStatement statement = row(stored.exists() ? UPDATE_LOCK : INSERT_LOCK);
    statement.setString(1, queue.kind.name());
    statement.setInt(2, queue.capacity);
    statement.setLong(3, queue.lastToken);
    statement.setInt(4, claimRows);
    statement.setString(5, head == null ? null : head.id);
    statement.setInt(6, head == null ? 0 : head.weight);
    statement.setLong(7, head == null ? 0 : head.token);
    statement.setLong(8, head == null ? 0 : head.since);
    statement.setLong(9, head == null ? 0 : head.ttl);
    statement.setLong(10, head == null ? 0 : head.expires);
    session.dialect().setText(statement, 11, head == null ? null : head.owner);
    session.dialect().setText(statement, 12, head == null ? null : head.value);
    session.dialect().setText(statement, 13, queue.name);
  }

  /** The statement, to bind one row more. */
  private PreparedStatement row(String sql) throws SQLException {
    PreparedStatement statement = session.prepare(sql);
    if (rows.merge(statement, 1, Integer::sum) > 1) {
      statement.addBatch();
    }
    return statement;
  }

  // A single row is no batch: some drivers prepare for one at length.
  private void flush() throws SQLException {
    for (Map.Entry<PreparedStatement, Integer> of : rows.entrySet()) {
      PreparedStatement statement = of.getKey();
      if (of.getValue() == 1) {
        statement.executeUpdate();
      } else {
        statement.addBatch();
        statement.executeBatch();
      }
    }
  }
}
