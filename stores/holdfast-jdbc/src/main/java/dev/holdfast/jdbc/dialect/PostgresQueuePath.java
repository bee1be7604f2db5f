package dev.holdfast.jdbc.dialect;

import dev.holdfast.jdbc.sql.OwnerCodec;
import dev.holdfast.jdbc.sql.QueuePath;
import dev.holdfast.jdbc.sql.StoreConnection;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Queued;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * On PostgreSQL, one statement each.
 *
 * <p>Such a statement sees the database as of its start. If it has to wait for the lock row, it
 * goes on with the newer row but the older queue. So it acts only if the row still has the version
 * ({@code xmin}) of its start; then no claim has joined or left meanwhile. A claim that was renewed
 * meanwhile is read in its newest version, because this very statement deletes it. Above READ
 * COMMITTED a row that has changed fails the statement instead, and it is repeated.
 *
 * <p>The lock row is locked first, then the queue, as everywhere.
 */
public final class PostgresQueuePath implements QueuePath {

  /** The version of the lock row that the statement saw at its start. */
  private static final String SEEN =
      "(SELECT s.xmin FROM holdfast_lock s JOIN c ON s.name = c.name)";

  // Only for a queue without expired claims: they must be removed first, and one of them may be the
  // claim that this one waits for.
  private static final String ENQUEUE =
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

  private static final String HAND_OFF =
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
  private final String enqueue;
  private final String handOff;

  public PostgresQueuePath(PostgresDialect dialect, OwnerCodec owners) {
    this.dialect = dialect;
    this.owners = owners;
    enqueue = text(ENQUEUE);
    handOff = text(HAND_OFF);
  }

  @Override
  public @Nullable Queued enqueue(StoreConnection connection, Claim claim) throws SQLException {
    PreparedStatement statement =
        connection.prepare(
            enqueue,
            claim.lock(),
            claim.id(),
            claim.kind().name(),
            dialect.lifetime(claim.waitingTtl()),
            claim.floor(),
            owners.encode(claim.owner()),
            claim.value(),
            owners.channel());
    try (ResultSet rows = statement.executeQuery()) {
      return rows.next() ? new Queued(rows.getInt(1)) : null;
    }
  }

  @Override
  public @Nullable String handOff(StoreConnection connection, Claim claim) throws SQLException {
    PreparedStatement statement =
        connection.prepare(handOff, claim.lock(), claim.id(), owners.channel());
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
