package dev.holdfast.jdbc;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Queued;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * On PostgreSQL, one statement each.
 *
 * <p>Such a statement sees the database as of its start. If it has to wait for the lock row, that
 * is no longer how things are: it goes on with the row as it is then, but with the queue as it was.
 * So it goes on only if the row is still the version ({@code xmin}) that it saw at its start; then
 * nobody has come or gone meanwhile. A claim that was renewed meanwhile is looked at as it is then,
 * because it is deleted by this very statement. Above READ COMMITTED a row that has changed fails
 * the statement instead, and it is repeated.
 *
 * <p>The lock row is locked first, then the queue, as everywhere.
 */
final class PostgresHandOff implements HandOff {

  /** The version of the lock row that the statement saw at its start. */
  private static final String SEEN =
      "(SELECT s.xmin FROM holdfast_lock s JOIN c ON s.name = c.name)";

  // A queue in which all is as it should be: who expired must go first, and may have been the claim
  // that this one waits for.
  private static final String QUEUE_UP =
      """
      WITH c AS (
        SELECT CAST(? AS TEXT) AS name, CAST(? AS TEXT) AS id, CAST(? AS TEXT) AS kind,
            CAST(? AS BIGINT) AS ttl, CAST(? AS BIGINT) AS floor, CAST(? AS TEXT) AS owner,
            CAST(? AS TEXT) AS value, CAST(? AS TEXT) AS channel, CLOCK AS now, LIMITED),
      queue AS (
        SELECT COALESCE(MAX(q.seq), 0) + 1 AS seq,
            1 + COUNT(*) FILTER (WHERE q.state = 'LIVE') AS ahead,
            COALESCE(BOOL_AND(q.claim_id <> c.id AND q.state IN ('LIVE', 'TOMBSTONE')
                AND q.expires > c.now AND q.expires <= c.now + q.ttl), true) AS settled
        FROM c JOIN holdfast_claim q ON q.lock_name = c.name),
      counted AS (
        UPDATE holdfast_lock l SET queued = l.queued + 1 FROM c, queue
        WHERE l.name = c.name AND l.xmin = SEEN
            AND l.format = 1 AND l.kind = c.kind AND l.capacity = 1
            AND l.claim_id <> c.id AND l.expires > c.now AND l.expires <= c.now + l.ttl
            AND queue.settled
        RETURNING queue.seq)
      INSERT INTO holdfast_claim (lock_name, seq, claim_id, state, weight, token, since, ttl,
          expires, token_floor, owner, claim_value, channel)
      SELECT c.name, counted.seq, c.id, 'LIVE', 1, 0, c.now, c.ttl,
          c.now + c.ttl, c.floor, c.owner, c.value, c.channel
      FROM c, counted
      RETURNING (SELECT ahead FROM queue)""";

  private static final String PASS_ON =
      """
      WITH c AS (
        SELECT CAST(? AS TEXT) AS name, CAST(? AS TEXT) AS id, CAST(? AS TEXT) AS channel,
            CLOCK AS now, LIMITED),
      held AS (
        SELECT l.name FROM holdfast_lock l JOIN c ON l.name = c.name
        WHERE l.xmin = SEEN
            AND l.format = 1 AND l.capacity = 1 AND l.claim_id = c.id AND l.expires > c.now
        FOR UPDATE OF l),
      next AS (
        DELETE FROM holdfast_claim w USING held, c
        WHERE w.lock_name = held.name
            AND w.seq = (SELECT MIN(q.seq) FROM holdfast_claim q JOIN c ON q.lock_name = c.name
                WHERE q.state <> 'TOMBSTONE')
            AND w.state = 'LIVE' AND w.token = 0 AND w.weight = 1
            AND w.expires > c.now AND w.expires <= c.now + w.ttl
        RETURNING w.*)
      UPDATE holdfast_lock l SET
          queued = l.queued - 1,
          last_token = GREATEST(l.last_token + 1, c.now, n.token_floor + 1),
          token = GREATEST(l.last_token + 1, c.now, n.token_floor + 1),
          claim_id = n.claim_id,
          weight = n.weight,
          since = c.now,
          ttl = n.ttl,
          expires = n.expires,
          owner = n.owner,
          claim_value = n.claim_value
      FROM next n, c
      WHERE l.name = n.lock_name
      RETURNING l.claim_id, CASE WHEN n.channel IS DISTINCT FROM c.channel
          AND n.channel IS NOT NULL THEN pg_notify(n.channel, l.name) END""";

  private final PostgresDialect dialect;
  private final OwnerCodec owners;
  private final String queueUp;
  private final String passOn;

  PostgresHandOff(PostgresDialect dialect, OwnerCodec owners) {
    this.dialect = dialect;
    this.owners = owners;
    queueUp = text(QUEUE_UP);
    passOn = text(PASS_ON);
  }

  @Override
  public @Nullable Queued queueUp(Session session, Claim claim) throws SQLException {
    PreparedStatement statement = session.prepare(queueUp);
    statement.setString(1, claim.lock());
    statement.setString(2, claim.id());
    statement.setString(3, claim.kind().name());
    statement.setLong(4, DbClock.lifetime(claim.waitingTtl(), dialect.clockStep()));
    statement.setLong(5, claim.floor());
    statement.setString(6, owners.encode(claim.owner()));
    statement.setString(7, claim.value());
    statement.setString(8, owners.channel());
    try (ResultSet rows = statement.executeQuery()) {
      return rows.next() ? new Queued(rows.getInt(1)) : null;
    }
  }

  @Override
  public @Nullable String passOn(Session session, Claim claim) throws SQLException {
    PreparedStatement statement = session.prepare(passOn);
    statement.setString(1, claim.lock());
    statement.setString(2, claim.id());
    statement.setString(3, owners.channel());
    try (ResultSet rows = statement.executeQuery()) {
      return rows.next() ? rows.getString(1) : null;
    }
  }

  private String text(String template) {
    return template
        .replace("SEEN", SEEN)
        .replace("CLOCK", dialect.clock())
        .replace("LIMITED", dialect.limited());
  }
}
