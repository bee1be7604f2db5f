package dev.holdfast.jdbc.dialect;

import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.jdbc.sql.OwnerCodec;
import dev.holdfast.jdbc.sql.QueuePath;
import dev.holdfast.jdbc.sql.Script;
import dev.holdfast.jdbc.sql.StoreConnection;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Standing;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * On MySQL and MariaDB, one script each, where the connection takes scripts: a transaction that
 * locks the lock row; its further statements find nothing to change where there is more to
 * consider. They begin after the row was locked, so what they see is current.
 *
 * <p>No variable of the session carries anything from one statement to the next: it would outlive
 * the operation, and a write that depends on it is not safe for statement-based replication. Each
 * statement reads from the rows what the one before it did. Only the result depends on a count of
 * changed rows: rows that are new or certainly change, so no setting of the driver matters. A
 * renewal in the very microsecond of the last one may seem to have had no effect, and the {@code
 * SlowPath} repeats it.
 */
public final class MySqlQueuePath implements QueuePath {

  private static final String LOCK = "SELECT 1 FROM holdfast_lock WHERE name = ? FOR UPDATE";

  private static final String ENQUEUE =
      """
      INSERT INTO holdfast_claim (lock_name, seq, claim_id, state, weight, token, since, ttl,
          expires, token_floor, owner, claim_value, channel)
      SELECT l.name,
          (SELECT COALESCE(MAX(q.seq), 0) + 1 FROM holdfast_claim q WHERE q.lock_name = l.name),
          ?, 'LIVE', 1, 0, CLOCK, ?, CLOCK + ?, ?, ?, ?, NULL
      FROM holdfast_lock l
      WHERE l.name = ? AND l.format = 1 AND l.kind = ? AND l.capacity = 1
          AND l.claim_id <> CAST(? AS BINARY)
          AND l.expires > CLOCK AND l.expires <= CLOCK + l.ttl
          AND NOT EXISTS (SELECT 1 FROM holdfast_claim q WHERE q.lock_name = l.name
              AND (q.claim_id = CAST(? AS BINARY) OR q.state NOT IN ('LIVE', 'TOMBSTONE')
                  OR q.expires <= CLOCK OR q.expires > CLOCK + q.ttl))""";

  /** Counts the claim itself, but not the one in the lock row. */
  private static final String AHEAD =
      "SELECT ROW_COUNT(), COUNT(*) FROM holdfast_claim WHERE lock_name = ? AND state = 'LIVE'";

  private static final String COUNT =
      "UPDATE holdfast_lock SET queued ="
          + " (SELECT COUNT(*) FROM holdfast_claim q WHERE q.lock_name = ?)"
          + " WHERE name = ? AND format = 1";

  // The last token is set later, because the new token depends on it: the order of assignments is
  // not guaranteed.
  private static final String HAND_OFF =
      """
      UPDATE holdfast_lock l JOIN holdfast_claim w ON w.lock_name = l.name
          AND w.seq = (SELECT MIN(q.seq) FROM holdfast_claim q
              WHERE q.lock_name = ? AND q.state <> 'TOMBSTONE')
      SET l.queued = l.queued - 1,
          l.token = GREATEST(l.last_token + 1, CLOCK, w.token_floor + 1),
          l.claim_id = w.claim_id,
          l.weight = w.weight,
          l.since = CLOCK,
          l.ttl = w.ttl,
          l.expires = w.expires,
          l.owner = w.owner,
          l.claim_value = w.claim_value
      WHERE l.name = ? AND l.format = 1 AND l.capacity = 1
          AND l.claim_id = CAST(? AS BINARY) AND l.expires > CLOCK
          AND w.state = 'LIVE' AND w.token = 0 AND w.weight = 1
          AND w.expires > CLOCK AND w.expires <= CLOCK + w.ttl""";

  // A claim is stored in the lock row or in its own row, except between these two statements.
  private static final String DELETE_MOVED =
      """
      DELETE FROM holdfast_claim WHERE lock_name = ? AND state = 'LIVE'
          AND CAST(claim_id AS BINARY) =
              (SELECT CAST(l.claim_id AS BINARY) FROM holdfast_lock l WHERE l.name = ?)""";

  private static final String NOTE_TOKEN =
      "UPDATE holdfast_lock SET last_token = token WHERE name = ? AND token > last_token";

  private static final String GRANTED =
      "SELECT ROW_COUNT(), claim_id FROM holdfast_lock WHERE name = ?";

  // A granted claim is in the lock row.
  private static final String RENEW_GRANTED =
      """
      UPDATE holdfast_lock SET ttl = ?, expires = CLOCK + ?, owner = ?, claim_value = ?
      WHERE name = ? AND claim_id = CAST(? AS BINARY) AND format = 1 AND expires > CLOCK
          AND weight <= ?""";

  private static final String TOKEN = "SELECT ROW_COUNT(), token FROM holdfast_lock WHERE name = ?";

  // Grouped, the queue is a derived table: MySQL cannot read the table that it changes.
  private static final String RENEW_WAITING =
      """
      UPDATE holdfast_claim c JOIN (SELECT l.name FROM holdfast_lock l
          JOIN holdfast_claim q ON q.lock_name = l.name
          WHERE l.name = ? AND l.format = 1 AND l.capacity = 1 AND l.claim_id IS NOT NULL
              AND l.expires > CLOCK AND l.expires <= CLOCK + l.ttl
          GROUP BY l.name
          HAVING SUM(q.state NOT IN ('LIVE', 'TOMBSTONE')
              OR q.expires <= CLOCK OR q.expires > CLOCK + q.ttl) = 0) settled
          ON c.lock_name = settled.name
      SET c.ttl = ?, c.expires = CLOCK + ?, c.token_floor = ?, c.owner = ?, c.claim_value = ?,
          c.channel = NULL
      WHERE c.claim_id = CAST(? AS BINARY) AND c.state = 'LIVE' AND c.token = 0 AND c.weight = 1""";

  /**
   * The position is the number of claims up to this one, itself included, as the holder is in the
   * lock row.
   */
  private static final String PLACE =
      """
      SELECT ROW_COUNT(), COUNT(*) FROM holdfast_claim WHERE lock_name = ? AND state = 'LIVE'
          AND seq <= (SELECT MAX(c.seq) FROM holdfast_claim c
              WHERE c.lock_name = ? AND c.state = 'LIVE' AND c.claim_id = CAST(? AS BINARY))""";

  private final Dialect dialect;
  private final OwnerCodec owners;
  private final String enqueue;
  private final String handOff;
  private final String renewGranted;
  private final String renewWaiting;

  public MySqlQueuePath(Dialect dialect, OwnerCodec owners) {
    this.dialect = dialect;
    this.owners = owners;
    enqueue = ENQUEUE.replace("CLOCK", dialect.clock());
    handOff = HAND_OFF.replace("CLOCK", dialect.clock());
    renewGranted = RENEW_GRANTED.replace("CLOCK", dialect.clock());
    renewWaiting = RENEW_WAITING.replace("CLOCK", dialect.clock());
  }

  @Override
  public @Nullable Queued enqueue(StoreConnection connection, Claim claim) throws SQLException {
    if (!connection.takesScripts()) {
      return null;
    }
    @Nullable Object name = name(claim);
    long lifetime = dialect.lifetime(claim.waitingTtl());
    Script script =
        begin(name)
            .add(
                enqueue,
                claim.id(),
                lifetime,
                lifetime,
                claim.floor(),
                owner(claim),
                value(claim),
                name,
                claim.kind().name(),
                claim.id(),
                claim.id())
            .ask(AHEAD, name)
            .add(COUNT, name, name)
            .add("COMMIT");
    int position =
        connection.orRollback(sent -> script.run(sent, rows -> changed(rows) ? rows.getInt(2) : 0));
    return position == 0 ? null : new Queued(position);
  }

  @Override
  public @Nullable String handOff(StoreConnection connection, Claim claim) throws SQLException {
    if (!connection.takesScripts()) {
      return null;
    }
    @Nullable Object name = name(claim);
    Script script =
        begin(name)
            .add(handOff, name, name, claim.id())
            .add(DELETE_MOVED, name, name)
            .add(NOTE_TOKEN, name)
            .ask(GRANTED, name)
            .add("COMMIT");
    String id =
        connection.orRollback(
            sent -> script.run(sent, rows -> changed(rows) ? rows.getString(2) : ""));
    return id.isEmpty() ? null : id;
  }

  @Override
  public boolean renews(StoreConnection connection) {
    return connection.takesScripts();
  }

  @Override
  public @Nullable Standing renew(StoreConnection connection, Claim claim) throws SQLException {
    if (!connection.takesScripts() || claim.spares() > 0) {
      return null;
    }
    @Nullable Object name = name(claim);
    @Nullable Object owner = owner(claim);
    @Nullable Object value = value(claim);
    long held = dialect.lifetime(claim.ttl());
    long waiting = dialect.lifetime(claim.waitingTtl());
    Script script =
        begin(name)
            .add(renewGranted, held, held, owner, value, name, claim.id(), claim.weight())
            .ask(TOKEN, name)
            .add(renewWaiting, name, waiting, waiting, claim.floor(), owner, value, claim.id())
            .ask(PLACE, name, name, claim.id())
            .add("COMMIT");
    List<Long> answers =
        connection.orRollback(
            sent -> script.answers(sent, rows -> changed(rows) ? rows.getLong(2) : 0));
    long token = answers.get(0);
    int position = answers.get(1).intValue();
    if (token != 0) {
      return new Granted(token);
    }
    return position == 0 ? null : new Queued(position);
  }

  private static Script begin(@Nullable Object name) {
    return new Script().add(MySqlDialect.START).read(row -> true, LOCK, name);
  }

  private @Nullable Object name(Claim claim) {
    return dialect.text(claim.lock());
  }

  private @Nullable Object owner(Claim claim) {
    return dialect.text(owners.encode(claim.owner()));
  }

  private @Nullable Object value(Claim claim) {
    return dialect.text(claim.value());
  }

  private static boolean changed(ResultSet rows) throws SQLException {
    return rows.next() && rows.getInt(1) == 1;
  }
}
