package dev.holdfast.jdbc.sql;

/** {@link Dialect#takeFree} for the engines that have {@code ON CONFLICT}. */
public final class Upsert {

  private Upsert() {}

  // The row to insert holds what depends on the clock and the claim alone; the update adds what
  // depends on the existing row. A busy lock changes nothing and returns nothing: a claim that may
  // have to wait is answered under the lock row anyway. The decision rests on that row only.
  private static final String TEXT =
      """
      INSERT INTO holdfast_lock AS l (name, format, kind, capacity, last_token, queued,
          claim_id, weight, token, since, ttl, expires, owner, claim_value)
      SELECT c.name, 1, c.kind, c.capacity, GREATEST(c.now, c.floor + 1) + c.spares, 0,
          c.id, c.weight, GREATEST(c.now, c.floor + 1), c.now, c.ttl, c.now + c.ttl, c.owner, c.value
      FROM (SELECT CAST(? AS TEXT) AS name, CAST(? AS TEXT) AS kind, CAST(? AS BIGINT) AS capacity,
          CAST(? AS TEXT) AS id, CAST(? AS BIGINT) AS weight, CAST(? AS BIGINT) AS ttl,
          CAST(? AS TEXT) AS owner, CAST(? AS TEXT) AS value, CAST(? AS BIGINT) AS floor,
          CAST(? AS BIGINT) AS spares, CLOCK AS now) AS c
      WHERE true
      ON CONFLICT (name) DO UPDATE SET
          kind = excluded.kind,
          capacity = excluded.capacity,
          last_token = GREATEST(l.last_token + 1, excluded.token)
              + excluded.last_token - excluded.token,
          claim_id = excluded.claim_id,
          weight = excluded.weight,
          token = GREATEST(l.last_token + 1, excluded.token),
          since = excluded.since,
          ttl = excluded.ttl,
          expires = excluded.expires,
          owner = excluded.owner,
          claim_value = excluded.claim_value
      WHERE l.queued = 0 AND l.format = 1 AND l.last_token BETWEEN 0 AND LAST
          AND (l.claim_id IS NULL OR l.expires <= excluded.since)
      RETURNING token""";

  /**
   * The statement.
   *
   * @param clock the expression for now
   * @param greatest the function that gives the greatest of its arguments
   */
  public static String text(String clock, String greatest) {
    return TEXT.replace("CLOCK", clock)
        .replace("LAST", Schema.LAST_TOKEN)
        .replace("GREATEST", greatest);
  }
}
