package dev.holdfast.jdbc;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Standing;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * On MySQL and MariaDB, one script each, where the connection takes scripts: a transaction that
 * locks the lock row, and whose further statements find nothing to change where there is more to
 * consider. Each of them begins after the row was locked, so what it sees is how things are.
 *
 * <p>No variable of the session carries anything from one statement to the next: it would outlive
 * the operation, and a write that depends on it is not safe to replicate as a statement. Each finds
 * in the rows whether the one before it did anything. Only the answer asks how many rows that one
 * changed: rows that are new or surely become others, so that no setting of the driver matters. A
 * renewal in the very microsecond of the last one may seem to have done nothing, and is repeated by
 * the {@link SlowPath}.
 */
final class MySqlHandOff implements HandOff {

  private static final String LOCK = "SELECT 1 FROM holdfast_lock WHERE name = ? FOR UPDATE";

  private static final String QUEUE_UP =
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

  /** Itself among them, but not the one in the lock row. */
  private static final String AHEAD =
      "SELECT ROW_COUNT(), COUNT(*) FROM holdfast_claim WHERE lock_name = ? AND state = 'LIVE'";

  private static final String COUNT =
      "UPDATE holdfast_lock SET queued ="
          + " (SELECT COUNT(*) FROM holdfast_claim q WHERE q.lock_name = ?)"
          + " WHERE name = ? AND format = 1";

  // Not the last token, which the new one depends on: the order of these is nowhere promised.
  private static final String PASS_ON =
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

  // A claim is in the lock row or has a row of its own, but for the moment between these.
  private static final String DELETE_MOVED =
      """
      DELETE FROM holdfast_claim WHERE lock_name = ? AND state = 'LIVE'
          AND CAST(claim_id AS BINARY) =
              (SELECT CAST(l.claim_id AS BINARY) FROM holdfast_lock l WHERE l.name = ?)""";

  private static final String NOTE_TOKEN =
      "UPDATE holdfast_lock SET last_token = token WHERE name = ? AND token > last_token";

  private static final String LET_IN =
      "SELECT ROW_COUNT(), claim_id FROM holdfast_lock WHERE name = ?";

  // Whoever was let in sits in the lock row.
  private static final String RENEW_LET_IN =
      """
      UPDATE holdfast_lock SET ttl = ?, expires = CLOCK + ?, owner = ?, claim_value = ?
      WHERE name = ? AND claim_id = CAST(? AS BINARY) AND format = 1 AND expires > CLOCK
          AND weight <= ?""";

  private static final String TOKEN = "SELECT ROW_COUNT(), token FROM holdfast_lock WHERE name = ?";

  // Grouped, the queue is a table of its own: MySQL lets nobody read the table that is changed.
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

  /** It comes after the one in the lock row, and so does each of these, itself among them. */
  private static final String PLACE =
      """
      SELECT ROW_COUNT(), COUNT(*) FROM holdfast_claim WHERE lock_name = ? AND state = 'LIVE'
          AND seq <= (SELECT MAX(c.seq) FROM holdfast_claim c
              WHERE c.lock_name = ? AND c.state = 'LIVE' AND c.claim_id = CAST(? AS BINARY))""";

  private final Dialect dialect;
  private final OwnerCodec owners;
  private final String queueUp;
  private final String passOn;
  private final String renewLetIn;
  private final String renewWaiting;

  MySqlHandOff(Dialect dialect, OwnerCodec owners) {
    this.dialect = dialect;
    this.owners = owners;
    queueUp = QUEUE_UP.replace("CLOCK", dialect.clock());
    passOn = PASS_ON.replace("CLOCK", dialect.clock());
    renewLetIn = RENEW_LET_IN.replace("CLOCK", dialect.clock());
    renewWaiting = RENEW_WAITING.replace("CLOCK", dialect.clock());
  }

  @Override
  public @Nullable Queued queueUp(Session session, Claim claim) throws SQLException {
    if (!session.takesScripts()) {
      return null;
    }
    Script script =
        begin(claim)
            .add(
                queueUp,
                (statement, before) -> {
                  long lifetime = DbClock.lifetime(claim.waitingTtl(), dialect.clockStep());
                  statement.setString(before + 1, claim.id());
                  statement.setLong(before + 2, lifetime);
                  statement.setLong(before + 3, lifetime);
                  statement.setLong(before + 4, claim.floor());
                  dialect.setText(statement, before + 5, owners.encode(claim.owner()));
                  dialect.setText(statement, before + 6, claim.value());
                  dialect.setText(statement, before + 7, claim.lock());
                  statement.setString(before + 8, claim.kind().name());
                  statement.setString(before + 9, claim.id());
                  statement.setString(before + 10, claim.id());
                })
            .ask(AHEAD, names(claim, 1))
            .add(COUNT, names(claim, 2))
            .add("COMMIT");
    int position =
        session.orRollback(sent -> script.run(sent, rows -> changed(rows) ? rows.getInt(2) : 0));
    return position == 0 ? null : new Queued(position);
  }

  @Override
  public @Nullable String passOn(Session session, Claim claim) throws SQLException {
    if (!session.takesScripts()) {
      return null;
    }
    Script script =
        begin(claim)
            .add(
                passOn,
                (statement, before) -> {
                  names(claim, 2).bind(statement, before);
                  statement.setString(before + 3, claim.id());
                })
            .add(DELETE_MOVED, names(claim, 2))
            .add(NOTE_TOKEN, names(claim, 1))
            .ask(LET_IN, names(claim, 1))
            .add("COMMIT");
    String id =
        session.orRollback(
            sent -> script.run(sent, rows -> changed(rows) ? rows.getString(2) : ""));
    return id.isEmpty() ? null : id;
  }

  @Override
  public boolean renews(Session session) {
    return session.takesScripts();
  }

  @Override
  public @Nullable Standing renew(Session session, Claim claim) throws SQLException {
    if (!session.takesScripts() || claim.spares() > 0) {
      return null;
    }
    Script script =
        begin(claim)
            .add(renewLetIn, (statement, before) -> bindLetIn(statement, before, claim))
            .ask(TOKEN, names(claim, 1))
            .add(renewWaiting, (statement, before) -> bindWaiting(statement, before, claim))
            .ask(
                PLACE,
                (statement, before) -> {
                  names(claim, 2).bind(statement, before);
                  statement.setString(before + 3, claim.id());
                })
            .add("COMMIT");
    List<Long> answers =
        session.orRollback(
            sent -> script.answers(sent, rows -> changed(rows) ? rows.getLong(2) : 0));
    long token = answers.get(0);
    int position = answers.get(1).intValue();
    if (token != 0) {
      return new Granted(token);
    }
    return position == 0 ? null : new Queued(position);
  }

  private void bindLetIn(PreparedStatement statement, int before, Claim claim) throws SQLException {
    long lifetime = DbClock.lifetime(claim.ttl(), dialect.clockStep());
    statement.setLong(before + 1, lifetime);
    statement.setLong(before + 2, lifetime);
    dialect.setText(statement, before + 3, owners.encode(claim.owner()));
    dialect.setText(statement, before + 4, claim.value());
    dialect.setText(statement, before + 5, claim.lock());
    statement.setString(before + 6, claim.id());
    statement.setInt(before + 7, claim.weight());
  }

  private void bindWaiting(PreparedStatement statement, int before, Claim claim)
      throws SQLException {
    long lifetime = DbClock.lifetime(claim.waitingTtl(), dialect.clockStep());
    dialect.setText(statement, before + 1, claim.lock());
    statement.setLong(before + 2, lifetime);
    statement.setLong(before + 3, lifetime);
    statement.setLong(before + 4, claim.floor());
    dialect.setText(statement, before + 5, owners.encode(claim.owner()));
    dialect.setText(statement, before + 6, claim.value());
    statement.setString(before + 7, claim.id());
  }

  private Script begin(Claim claim) {
    return new Script().add(MySqlDialect.START).add(LOCK, names(claim, 1));
  }

  /** Binds the lock's name so many times. */
  private Script.Binding names(Claim claim, int count) {
    return (statement, before) -> {
      for (int i = 1; i <= count; i++) {
        dialect.setText(statement, before + i, claim.lock());
      }
    };
  }

  private static boolean changed(ResultSet rows) throws SQLException {
    return rows.next() && rows.getInt(1) == 1;
  }
}
