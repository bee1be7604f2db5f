package dev.holdfast.jdbc;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Tokens;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A lock that nobody else uses: one statement takes it, one renews it, one releases it. Each
 * decides by the lock row alone and does nothing where there is more to consider; then the {@link
 * SlowPath} answers. That a lock is busy takes no more than a look: nothing has to be written, so
 * no row is locked and no transaction waits for its client.
 *
 * <p>Safe for any threads.
 */
final class FastPath {

  private final Dialect dialect;
  private final OwnerCodec owners;
  private final QueueReader reader;
  private final String take;
  private final String renew;
  private final String release;

  FastPath(Dialect dialect, OwnerCodec owners, QueueReader reader) {
    this.dialect = dialect;
    this.owners = owners;
    this.reader = reader;
    String holds =
        " WHERE name = ? AND "
            + dialect.isClaim()
            + " AND format = "
            + Schema.FORMAT
            + " AND expires > "
            + dialect.clock()
            + " AND token BETWEEN 1 AND "
            + Rows.LAST_TOKEN;
    take = dialect.takeFree();
    renew =
        dialect.returningToken(
            dialect.limited(
                "UPDATE holdfast_lock SET ttl = ?, expires = "
                    + dialect.clock()
                    + " + ?, owner = ?, claim_value = ?"
                    + holds
                    + " AND weight <= ? AND expires <= "
                    + dialect.clock()
                    + " + ?"));
    release =
        dialect.limited(
            "UPDATE holdfast_lock SET claim_id = NULL, owner = NULL, claim_value = NULL"
                + holds
                + " AND queued = 0");
  }

  /** Takes the lock if nobody holds it or waits for it; otherwise null, and nothing changed. */
  @Nullable Granted join(Session session, Claim claim) throws SQLException {
    PreparedStatement statement = dialect.prepareReturningToken(session, take);
    bind(statement, claim);
    Long token = dialect.runReturningToken(statement);
    return token == null ? null : granted(claim, token);
  }

  /**
   * Takes the lock if nobody holds it or waits for it, or tells why a claim that does not wait gets
   * nothing. Null, and nothing changed, where there is more to consider: the claim is there
   * already, somebody else is to be let in first, or the clock was set back.
   *
   * @param claim whose floor needs no noting
   */
  @Nullable JoinAnswer joinOrBusy(Session session, Claim claim) throws SQLException {
    if (!dialect.readsWhereItTakes()) {
      Granted granted = join(session, claim);
      return granted != null ? granted : busy(reader.snapshot(session, claim.lock()), claim);
    }
    PreparedStatement statement = session.prepare(reader.takeOrRead());
    bind(statement, claim);
    dialect.setText(statement, 11, claim.lock());
    QueueReader.TakenOrRead done = reader.takeOrRead(statement, claim.lock());
    return done.token() != 0 ? granted(claim, done.token()) : busy(done.stored(), claim);
  }

  private static @Nullable JoinAnswer busy(@Nullable StoredQueue stored, Claim claim) {
    if (stored == null) {
      return null;
    }
    LockQueue queue = stored.queue();
    queue.settle();
    boolean mustBeWritten =
        Stream.concat(queue.entries.stream(), queue.tombstones.stream())
            .anyMatch(entry -> entry.changed);
    if (mustBeWritten || queue.find(claim.id()) != null) {
      return null;
    }
    JoinAnswer answer = queue.join(claim, false); // in memory only
    return answer instanceof Granted ? null : answer;
  }

  private void bind(PreparedStatement statement, Claim claim) throws SQLException {
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
  }

  private static Granted granted(Claim claim, long token) {
    return claim.spares() == 0
        ? new Granted(token)
        : new Granted(token, new Tokens(token + 1, claim.spares()));
  }

  /**
   * Renews the claim if it holds the lock and sits in the lock's row, wants no spare tokens, takes
   * no less than before and would end no sooner, as it might by a request that waited for the row
   * while a later one was quicker; otherwise null, and nothing changed.
   */
  @Nullable Granted refresh(Session session, Claim claim) throws SQLException {
    if (claim.spares() > 0) {
      return null;
    }
    long lifetime = DbClock.lifetime(claim.ttl(), dialect.clockStep());
    PreparedStatement statement = dialect.prepareReturningToken(session, renew);
    statement.setLong(1, lifetime);
    statement.setLong(2, lifetime);
    dialect.setText(statement, 3, owners.encode(claim.owner()));
    dialect.setText(statement, 4, claim.value());
    dialect.setText(statement, 5, claim.lock());
    statement.setString(6, claim.id());
    statement.setInt(7, claim.weight());
    statement.setLong(8, lifetime);
    Long token = dialect.runReturningToken(statement);
    return token == null ? null : new Granted(token);
  }

  /** Releases the lock if the claim holds it and nobody waits; otherwise false, nothing changed. */
  boolean leave(Session session, Claim claim) throws SQLException {
    PreparedStatement statement = session.prepare(release);
    dialect.setText(statement, 1, claim.lock());
    statement.setString(2, claim.id());
    return statement.executeUpdate() == 1;
  }
}
