package dev.holdfast.jdbc;

import static java.util.Objects.requireNonNull;

import dev.holdfast.Kind;
import dev.holdfast.spi.Tokens;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Turns rows into entries; the one place that knows the order of the columns. Constant. */
final class Rows {

  static final String LOCK_COLUMNS =
      "l.name, l.format, l.kind, l.capacity, l.last_token, l.queued,"
          + " l.claim_id, l.weight, l.token, l.since, l.ttl, l.expires, l.owner, l.claim_value";
  static final int LOCK_WIDTH = 14;

  static final String CLAIM_COLUMNS =
      "c.lock_name, c.seq, c.claim_id, c.state, c.weight, c.token, c.since, c.ttl, c.expires,"
          + " c.token_floor, c.owner, c.claim_value, c.channel";
  static final int CLAIM_WIDTH = 13;

  /** Up to here the short ways make tokens without a look at where tokens end. */
  static final String LAST_TOKEN = Long.toString(Tokens.MAX - 1_000_000);

  private final Dialect dialect;
  private final OwnerCodec owners;

  Rows(Dialect dialect, OwnerCodec owners) {
    this.dialect = dialect;
    this.owners = owners;
  }

  /**
   * Reads a lock row.
   *
   * @param skip how many columns stand before its own
   */
  StoredQueue lock(ResultSet rows, int skip, DbClock now) throws SQLException {
    String name = requireNonNull(dialect.getText(rows, skip + 1));
    LockQueue queue = new LockQueue(name, now, owners);
    queue.capacity = rows.getInt(skip + 4);
    queue.lastToken = rows.getLong(skip + 5);
    Kind kind = parse(Kind.class, rows.getString(skip + 3));
    if (kind != null) {
      queue.kind = kind;
    }
    String id = rows.getString(skip + 7);
    if (id != null) {
      Entry head =
          new Entry(
              id,
              rows.getLong(skip + 10),
              rows.getInt(skip + 8),
              text(rows, skip + 13),
              dialect.getText(rows, skip + 14));
      head.token = rows.getLong(skip + 9);
      head.ttl = rows.getLong(skip + 11);
      head.expires = rows.getLong(skip + 12);
      head.place = Entry.Place.LOCK_ROW;
      queue.entries.add(head);
    }
    StoredQueue stored = StoredQueue.read(queue, rows.getInt(skip + 6));
    int format = rows.getInt(skip + 2);
    boolean sound =
        isToken(queue.lastToken)
            && queue.entries.stream().allMatch(entry -> isSound(entry, queue.capacity));
    if (format != Schema.FORMAT || kind == null || !sound) {
      stored.refuse(Schema.unreadable(queue.name, format));
    }
    return stored;
  }

  /**
   * Reads a claim row into its queue.
   *
   * @param skip how many columns stand before its own
   */
  void claim(ResultSet rows, int skip, StoredQueue stored) throws SQLException {
    Entry.State state = parse(Entry.State.class, rows.getString(skip + 4));
    if (state == null) {
      stored.refuse(Schema.unreadable(stored.name(), Schema.FORMAT));
      return;
    }
    Entry entry =
        new Entry(
            rows.getString(skip + 3),
            rows.getLong(skip + 7),
            rows.getInt(skip + 5),
            text(rows, skip + 11),
            dialect.getText(rows, skip + 12));
    entry.channel = rows.getString(skip + 13);
    entry.state = state;
    entry.seq = rows.getLong(skip + 2);
    entry.token = rows.getLong(skip + 6);
    entry.ttl = rows.getLong(skip + 8);
    entry.expires = rows.getLong(skip + 9);
    entry.floor = rows.getLong(skip + 10);
    entry.place = Entry.Place.CLAIM_ROW;
    if (isSound(entry, stored.capacity())) {
      stored.claimRowRead(entry);
    } else {
      stored.refuse(Schema.unreadable(stored.name(), Schema.FORMAT));
    }
  }

  /** A tombstone takes no place, and may be in a lock that was never used. */
  private static boolean isSound(Entry entry, int capacity) {
    boolean fits =
        entry.state == Entry.State.TOMBSTONE || (entry.weight > 0 && entry.weight <= capacity);
    return fits && isToken(entry.token) && isToken(entry.floor) && entry.hasOwner();
  }

  private static boolean isToken(long number) {
    return number >= 0 && number <= Tokens.MAX;
  }

  // What another hand made NULL is no owner either, and is found out where it is read.
  private String text(ResultSet rows, int index) throws SQLException {
    String text = dialect.getText(rows, index);
    return text == null ? "" : text;
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
