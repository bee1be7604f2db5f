package dev.holdfast.jdbc.queue;

import static java.util.Objects.requireNonNull;

import dev.holdfast.Kind;
import dev.holdfast.Owner;
import dev.holdfast.jdbc.sql.DbClock;
import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.jdbc.sql.OwnerCodec;
import dev.holdfast.jdbc.sql.Schema;
import dev.holdfast.spi.Tokens;
import dev.holdfast.spi.support.ClaimQueue;
import dev.holdfast.spi.support.ClaimRecord.State;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Reads queues from rows; the only class that knows the order of the columns. Immutable. */
final class RowReader {

  static final String LOCK_COLUMNS =
      "l.name, l.format, l.kind, l.capacity, l.last_token, l.queued,"
          + " l.claim_id, l.weight, l.token, l.since, l.ttl, l.expires, l.owner, l.claim_value";
  static final int LOCK_WIDTH = 14;

  static final String CLAIM_COLUMNS =
      "c.lock_name, c.seq, c.claim_id, c.state, c.weight, c.token, c.since, c.ttl, c.expires,"
          + " c.token_floor, c.owner, c.claim_value, c.channel";
  static final int CLAIM_WIDTH = 13;

  private final Dialect dialect;
  private final OwnerCodec owners;

  RowReader(Dialect dialect, OwnerCodec owners) {
    this.dialect = dialect;
    this.owners = owners;
  }

  /**
   * Reads a lock row.
   *
   * @param skip the number of columns before its own
   */
  LoadedQueue lock(ResultSet rows, int skip, DbClock now) throws SQLException {
    ClaimQueue<ClaimRow> queue =
        LoadedQueue.empty(requireNonNull(dialect.getText(rows, skip + 1)), now, owners);
    int format = rows.getInt(skip + 2);
    Kind kind = parse(Kind.class, rows.getString(skip + 3));
    queue.restore(kind == null ? Kind.MUTEX : kind, rows.getInt(skip + 4), rows.getLong(skip + 5));
    LoadedQueue loaded = new LoadedQueue(queue, true, rows.getInt(skip + 6));
    String id = rows.getString(skip + 7);
    Owner owner = id == null ? null : owner(rows, skip + 13);
    if (id != null && owner != null) {
      ClaimRow head =
          new ClaimRow(
              id,
              owner,
              rows.getInt(skip + 8),
              dialect.getText(rows, skip + 14),
              owners,
              ClaimRow.StoredIn.LOCK_ROW);
      head.restored(State.LIVE, rows.getLong(skip + 9), 0);
      head.restoredTimes(rows.getLong(skip + 10), rows.getLong(skip + 11), rows.getLong(skip + 12));
      loaded.add(head);
    }
    boolean sound =
        isToken(queue.lastToken())
            && (id == null || owner != null)
            && queue.claims().stream().allMatch(row -> isSound(row, queue.capacity()));
    if (format != Schema.FORMAT || kind == null || !sound) {
      loaded.refuse(Schema.unreadable(queue.lock(), format));
    }
    return loaded;
  }

  /**
   * Reads a claim row into its queue.
   *
   * @param skip the number of columns before its own
   */
  void claim(ResultSet rows, int skip, LoadedQueue loaded) throws SQLException {
    State state = parse(State.class, rows.getString(skip + 4));
    Owner owner = owner(rows, skip + 11);
    if (state == null || owner == null) {
      loaded.refuse(Schema.unreadable(loaded.lock(), Schema.FORMAT));
      return;
    }
    ClaimRow row =
        new ClaimRow(
            rows.getString(skip + 3),
            owner,
            rows.getInt(skip + 5),
            dialect.getText(rows, skip + 12),
            owners,
            ClaimRow.StoredIn.CLAIM_ROW);
    row.channel = rows.getString(skip + 13);
    row.seq = rows.getLong(skip + 2);
    row.restored(state, rows.getLong(skip + 6), rows.getLong(skip + 10));
    row.restoredTimes(rows.getLong(skip + 7), rows.getLong(skip + 8), rows.getLong(skip + 9));
    if (isSound(row, loaded.capacity())) {
      loaded.add(row);
    } else {
      loaded.refuse(Schema.unreadable(loaded.lock(), Schema.FORMAT));
    }
  }

  /** A tombstone weighs nothing, and may belong to a lock that was never used. */
  private static boolean isSound(ClaimRow row, int capacity) {
    boolean fits = row.state() == State.TOMBSTONE || (row.weight() > 0 && row.weight() <= capacity);
    return fits && isToken(row.token()) && isToken(row.floor());
  }

  private static boolean isToken(long number) {
    return number >= 0 && number <= Tokens.MAX;
  }

  /** Returns the owner, or null if another program has written what cannot be read. */
  private @Nullable Owner owner(ResultSet rows, int index) throws SQLException {
    String text = dialect.getText(rows, index);
    return text == null ? null : OwnerCodec.decode(text);
  }

  private static <E extends Enum<E>> @Nullable E parse(Class<E> type, String text) {
    for (E constant : type.getEnumConstants()) {
      if (constant.name().equals(text)) {
        return constant;
      }
    }
    return null;
  }
}
