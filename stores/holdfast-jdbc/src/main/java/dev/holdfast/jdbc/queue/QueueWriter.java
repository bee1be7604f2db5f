package dev.holdfast.jdbc.queue;

import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.jdbc.sql.Schema;
import dev.holdfast.jdbc.sql.Script;
import dev.holdfast.jdbc.sql.StoreConnection;
import dev.holdfast.spi.support.ClaimQueue;
import dev.holdfast.spi.support.ClaimRecord.State;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Writes back what has changed in queues that were read for update, and notifies the clients of the
 * claims that were granted, or that are next behind a lingering claim. The granted head of a queue
 * is stored in the lock row, every other claim in its own row. Holds the rows of one transaction;
 * not thread-safe.
 */
public final class QueueWriter {

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

  /** With more rows than this, batches are used, one for each statement. */
  private static final int LONGEST_SCRIPT = 6;

  private final Dialect dialect;

  // Mutable state
  private final Script script = new Script();

  private QueueWriter(Dialect dialect) {
    this.dialect = dialect;
  }

  /**
   * Writes; on a connection that takes scripts, also commits.
   *
   * @param listener the channel of this client, which is not notified
   */
  public static void write(
      StoreConnection connection, Collection<LoadedQueue> queues, @Nullable String listener)
      throws SQLException {
    QueueWriter writer = new QueueWriter(connection.dialect());
    for (LoadedQueue stored : queues) {
      writer.write(stored);
    }
    for (LoadedQueue stored : queues) {
      writer.announce(stored, listener);
    }
    writer.run(connection);
  }

  private void write(LoadedQueue stored) {
    ClaimQueue<ClaimRow> queue = stored.queue();
    ClaimRow first = queue.claims().isEmpty() ? null : queue.claims().get(0);
    ClaimRow head = first != null && first.isLive() && first.isGranted() ? first : null;
    // An unchanged lock row shows others that its queue is the same, so it is written when one
    // claim replaces another, even if their number stays.
    boolean others = false;
    for (ClaimRow entry : queue.removed()) {
      others |= deleteRow(stored, entry);
    }
    for (ClaimRow entry : queue.claims()) {
      others |= entry == head ? deleteRow(stored, entry) : writeRow(stored, entry);
    }
    for (ClaimRow tombstone : queue.tombstones()) {
      others |= writeRow(stored, tombstone);
    }
    int claimRows = queue.claims().size() + queue.tombstones().size() - (head == null ? 0 : 1);
    if (others || stored.lockRowChanged(head, claimRows)) {
      writeLock(stored, head, claimRows);
    }
  }

  /** Returns whether a row was deleted. */
  private boolean deleteRow(LoadedQueue stored, ClaimRow entry) {
    if (entry.storedIn != ClaimRow.StoredIn.CLAIM_ROW) {
      return false;
    }
    script.add(DELETE_CLAIM, dialect.text(stored.lock()), entry.seq);
    return true;
  }

  /** Returns whether a row was added. */
  private boolean writeRow(LoadedQueue stored, ClaimRow entry) {
    if (entry.storedIn == ClaimRow.StoredIn.CLAIM_ROW) {
      if (entry.isChanged()) {
        script.add(UPDATE_CLAIM, values(stored, entry).toArray());
      }
      return false;
    }
    entry.seq =
        entry.storedIn == ClaimRow.StoredIn.LOCK_ROW ? stored.seqInFront() : stored.seqAtEnd();
    List<@Nullable Object> values = values(stored, entry);
    values.add(entry.id());
    script.add(INSERT_CLAIM, values.toArray());
    return true;
  }

  private List<@Nullable Object> values(LoadedQueue stored, ClaimRow entry) {
    List<@Nullable Object> values = new ArrayList<>(13);
    Collections.addAll(
        values,
        entry.state().name(),
        entry.weight(),
        entry.token(),
        entry.since(),
        entry.ttl(),
        entry.expires(),
        entry.floor(),
        dialect.text(entry.encodedOwner()),
        dialect.text(entry.value()),
        entry.state() == State.TOMBSTONE ? null : entry.channel,
        dialect.text(stored.lock()),
        entry.seq);
    return values;
  }

  private void writeLock(LoadedQueue stored, @Nullable ClaimRow head, int claimRows) {
    ClaimQueue<ClaimRow> queue = stored.queue();
    script.add(
        stored.exists() ? UPDATE_LOCK : INSERT_LOCK,
        queue.kind().name(),
        queue.capacity(),
        queue.lastToken(),
        claimRows,
        head == null ? null : head.id(),
        head == null ? 0 : head.weight(),
        head == null ? 0L : head.token(),
        head == null ? 0L : head.since(),
        head == null ? 0L : head.ttl(),
        head == null ? 0L : head.expires(),
        head == null ? null : dialect.text(head.encodedOwner()),
        head == null ? null : dialect.text(head.value()),
        dialect.text(queue.lock()));
  }

  private void announce(LoadedQueue stored, @Nullable String listener) {
    String announcement = dialect.announcement();
    if (announcement != null) {
      Stream.concat(
              stored.queue().promoted().stream(), Stream.ofNullable(stored.newlyBehindLinger()))
          .map(entry -> entry.channel)
          .filter(channel -> channel != null && !channel.equals(listener))
          .distinct()
          .forEach(channel -> script.ask(announcement, channel, stored.lock()));
    }
  }

  private void run(StoreConnection connection) throws SQLException {
    Script ending = script;
    if (!connection.takesScripts() || script.size() > LONGEST_SCRIPT) {
      script.runInBatches(connection);
      ending = new Script();
    }
    if (connection.takesScripts()) {
      ending.addAll(dialect.ending("COMMIT")).run(connection);
    }
  }
}
