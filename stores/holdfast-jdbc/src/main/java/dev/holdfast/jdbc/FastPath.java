package dev.holdfast.jdbc;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Tokens;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A lock that nobody else uses: one statement takes it, one releases it. Each decides by the lock
 * row alone and does nothing where there is more to consider; then the {@link SlowPath} answers.
 *
 * <p>Safe for any threads.
 */
final class FastPath {

  private final Dialect dialect;
  private final OwnerCodec owners;
  private final String release;

  FastPath(Dialect dialect, OwnerCodec owners) {
    this.dialect = dialect;
    this.owners = owners;
    release =
        "UPDATE holdfast_lock SET claim_id = NULL, owner = NULL, claim_value = NULL"
            + " WHERE name = ? AND claim_id = ? AND queued = 0 AND format = "
            + Schema.FORMAT
            + " AND expires > "
            + dialect.clock();
  }

  /** Takes the lock if nobody holds it or waits for it; otherwise null, and nothing changed. */
  @Nullable Granted join(Session session, Claim claim) throws SQLException {
    PreparedStatement statement = dialect.prepareTakeFree(session);
    dialect.setText(statement, 1, claim.lock());
    statement.setString(2, claim.kind().name());
    statement.setInt(3, claim.capacity());
    statement.setString(4, claim.id());
    statement.setInt(5, claim.weight());
    statement.setLong(6, DbClock.lifetime(claim.ttl(), dialect.clockStep()));
    dialect.setText(statement, 7, owners.encode(claim.owner()));
    dialect.setText(statement, 8, claim.value());
    statement.setLong(9, claim.floor());
    statement.setInt(10, claim.spares());
    Long token = dialect.runTakeFree(statement);
    if (token == null) {
      return null;
    }
    return claim.spares() == 0
        ? new Granted(token)
        : new Granted(token, new Tokens(token + 1, claim.spares()));
  }

  /** Releases the lock if the claim holds it and nobody waits; otherwise false, nothing changed. */
  boolean leave(Session session, Claim claim) throws SQLException {
    PreparedStatement statement = session.prepare(release);
    dialect.setText(statement, 1, claim.lock());
    statement.setString(2, claim.id());
    return statement.executeUpdate() == 1;
  }
}
