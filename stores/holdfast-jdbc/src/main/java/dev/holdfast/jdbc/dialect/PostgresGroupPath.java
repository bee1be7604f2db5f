package dev.holdfast.jdbc.dialect;

import dev.holdfast.jdbc.sql.GroupPath;
import dev.holdfast.jdbc.sql.OwnerCodec;
import dev.holdfast.jdbc.sql.Schema;
import dev.holdfast.jdbc.sql.StoreConnection;
import dev.holdfast.spi.Claim;
import java.sql.Array;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * On PostgreSQL, a statement with one array for each column.
 *
 * <p>The rows are locked first, in the order of their names. A row that was changed after the
 * statement began is judged again as it is now, because the update comes to its newest version.
 */
final class PostgresGroupPath implements GroupPath {

  private static final String TEXT =
"""
      WITH asked AS (
        SELECT a.*, CLOCK AS now FROM holdfast_lock k JOIN unnest(CAST(? AS TEXT[]),
            CAST(? AS TEXT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]), CAST(? AS BIGINT[]),
            CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]),
            CAST(? AS BIGINT[]), CAST(? AS BIGINT[]))
          AS a (name, verb, id, kind, capacity, weight, ttl, owner, value, floor, spares)
          ON k.name = a.name
        ORDER BY k.name FOR UPDATE OF k SKIP LOCKED)
      UPDATE holdfast_lock l SET
          kind = CASE a.verb WHEN 'TAKE' THEN a.kind ELSE l.kind END,
          capacity = CASE a.verb WHEN 'TAKE' THEN a.capacity ELSE l.capacity END,
          last_token = CASE a.verb WHEN 'TAKE' THEN NEXT + a.spares ELSE l.last_token END,
          claim_id = CASE a.verb WHEN 'RELEASE' THEN NULL ELSE a.id END,
          weight = CASE a.verb WHEN 'TAKE' THEN a.weight ELSE l.weight END,
          token = CASE a.verb WHEN 'TAKE' THEN NEXT ELSE l.token END,
          since = CASE a.verb WHEN 'TAKE' THEN a.now ELSE l.since END,
          ttl = CASE a.verb WHEN 'RELEASE' THEN l.ttl ELSE a.ttl END,
          expires = CASE a.verb WHEN 'RELEASE' THEN l.expires ELSE a.now + a.ttl END,
          owner = CASE a.verb WHEN 'RELEASE' THEN NULL ELSE a.owner END,
          claim_value = CASE a.verb WHEN 'RELEASE' THEN NULL ELSE a.value END
      FROM asked a
      WHERE l.name = a.name AND l.format = 1 AND CASE a.verb
          WHEN 'TAKE' THEN l.queued = 0 AND l.last_token BETWEEN 0 AND LAST
              AND (l.claim_id IS NULL OR l.expires <= a.now)
          ELSE l.claim_id = a.id AND l.expires > a.now AND l.token BETWEEN 1 AND LAST
              AND CASE a.verb WHEN 'RENEW' THEN l.weight <= a.weight AND l.expires <= a.now + a.ttl
                  ELSE l.queued = 0 END
          END
"""
          .replace("NEXT", "GREATEST(l.last_token + 1, a.now, a.floor + 1)")
          .replace("LAST", Schema.LAST_TOKEN);

  private static final String RETURNING = " RETURNING a.id, l.token";

  private final PostgresDialect dialect;
  private final OwnerCodec owners;
  private final String text;
  private final String releases;

  PostgresGroupPath(PostgresDialect dialect, OwnerCodec owners, boolean asyncReleases) {
    this.dialect = dialect;
    this.owners = owners;
    String update = TEXT.replace("CLOCK", dialect.clock());
    text = update + RETURNING;
    releases = asyncReleases ? dialect.async(update) + RETURNING : text;
  }

  @Override
  public Map<Claim, Long> run(StoreConnection connection, List<Request> requests)
      throws SQLException {
    List<Claim> claims = requests.stream().map(Request::claim).toList();
    Array[] columns = {
      array(connection, "text", claims, Claim::lock),
      array(connection, "text", requests, request -> request.verb().name()),
      array(connection, "text", claims, Claim::id),
      array(connection, "text", claims, claim -> claim.kind().name()),
      array(connection, "bigint", claims, Claim::capacity),
      array(connection, "bigint", claims, Claim::weight),
      array(connection, "bigint", claims, claim -> dialect.lifetime(claim.ttl())),
      array(connection, "text", claims, claim -> owners.encode(claim.owner())),
      array(connection, "text", claims, Claim::value),
      array(connection, "bigint", claims, Claim::floor),
      array(connection, "bigint", claims, Claim::spares)
    };
    boolean onlyReleases = requests.stream().allMatch(one -> one.verb() == Verb.RELEASE);
    PreparedStatement statement = connection.prepare(onlyReleases ? releases : text);
    for (int i = 0; i < columns.length; i++) {
      statement.setArray(i + 1, columns[i]);
    }
    Map<String, Claim> byId = new HashMap<>();
    claims.forEach(claim -> byId.put(claim.id(), claim));
    Map<Claim, Long> done = new HashMap<>();
    try (ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        done.put(byId.get(rows.getString(1)), rows.getLong(2));
      }
    }
    return done;
  }

  private static <T> Array array(
      StoreConnection connection, String type, List<T> of, Function<T, Object> value)
      throws SQLException {
    return connection.jdbc().createArrayOf(type, of.stream().map(value).toArray());
  }
}
