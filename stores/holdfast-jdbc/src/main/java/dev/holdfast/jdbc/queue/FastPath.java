package dev.holdfast.jdbc.queue;

import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.jdbc.sql.OwnerCodec;
import dev.holdfast.jdbc.sql.Schema;
import dev.holdfast.jdbc.sql.StoreConnection;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Tokens;
import dev.holdfast.spi.support.ClaimQueue;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A lock that no other claim uses: one statement takes it, one renews it, one releases it. Each
 * decides by the lock row alone and does nothing where there is more to consider; then the {@link
 * SlowPath} answers. To find out that a lock is busy takes one read: nothing is written, so no row
 * is locked and no transaction waits for its client.
 *
 * <p>Thread-safe.
 */
public final class FastPath {

  private final Dialect dialect;
  private final OwnerCodec owners;
  private final QueueReader reader;
  private final String take;
  private final String renew;
  private final String release;

  /**
   * Statements in a dialect.
   *
   * @param asyncReleases whether a release may be confirmed before it is on disk
   */
  public FastPath(Dialect dialect, OwnerCodec owners, QueueReader reader, boolean asyncReleases) {
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
            + Schema.LAST_TOKEN;
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
    String durable =
        dialect.limited(
            "UPDATE holdfast_lock SET claim_id = NULL, owner = NULL, claim_value = NULL"
                + holds
                + " AND queued = 0");
    release = asyncReleases ? dialect.async(durable) : durable;
  }

  /**
   * Takes the lock if it is free and no claim waits; otherwise returns null and changes nothing.
   */
  public @Nullable Granted join(StoreConnection connection, Claim claim) throws SQLException {
    Long token = dialect.token(connection, take, values(claim));
    return token == null ? null : granted(claim, token);
  }

  /**
   * Takes the lock if it is free and no claim waits, or returns why a claim that does not wait is
   * refused. Returns null, and changes nothing, where there is more to consider: the claim is
   * already in the queue, another is to be granted first, or the clock was set back.
   *
   * @param claim whose floor needs no noting
   */
  @Nullable JoinAnswer joinOrBusy(StoreConnection connection, Claim claim) throws SQLException {
    if (!dialect.readsWhereItTakes()) {
      Granted granted = join(connection, claim);
      return granted != null ? granted : busy(reader.snapshot(connection, claim.lock()), claim);
    }
    PreparedStatement statement = connection.prepare(reader.takeOrRead(), values(claim));
    dialect.setText(statement, 11, claim.lock());
    QueueReader.TakenOrRead done = reader.takeOrRead(statement, claim.lock());
    return done.token() != 0 ? granted(claim, done.token()) : busy(done.stored(), claim);
  }

  private static @Nullable JoinAnswer busy(@Nullable LoadedQueue stored, Claim claim) {
    if (stored == null) {
      return null;
    }
    stored.settle();
    ClaimQueue<ClaimRow> queue = stored.queue();
    boolean mustBeWritten =
        Stream.concat(queue.claims().stream(), queue.tombstones().stream())
            .anyMatch(ClaimRow::isChanged);
    if (mustBeWritten || queue.find(claim.id()) != null) {
      return null;
    }
    JoinAnswer answer = queue.join(claim, false); // in memory only
    return answer instanceof Granted ? null : answer;
  }

  private @Nullable Object[] values(Claim claim) {
    return new @Nullable Object[] {
      dialect.text(claim.lock()),
      claim.kind().name(),
      claim.capacity(),
      claim.id(),
      claim.weight(),
      dialect.lifetime(claim.ttl()),
      dialect.text(owners.encode(claim.owner())),
      dialect.text(claim.value()),
      claim.floor(),
      claim.spares()
    };
  }

  /** Returns the grant of a claim that took its lock with this token. */
  public static Granted granted(Claim claim, long token) {
    return claim.spares() == 0
        ? new Granted(token)
        : new Granted(token, new Tokens(token + 1, claim.spares()));
  }

  /**
   * Renews the claim if it holds the lock in the lock's row, requests no spare tokens, has no
   * greater weight than before and would not end sooner, as it might by a request that waited for
   * the row while a later one was quicker; otherwise returns null and changes nothing.
   */
  public @Nullable Granted refresh(StoreConnection connection, Claim claim) throws SQLException {
    if (claim.spares() > 0) {
      return null;
    }
    long lifetime = dialect.lifetime(claim.ttl());
    Long token =
        dialect.token(
            connection,
            renew,
            lifetime,
            lifetime,
            dialect.text(owners.encode(claim.owner())),
            dialect.text(claim.value()),
            dialect.text(claim.lock()),
            claim.id(),
            claim.weight(),
            lifetime);
    return token == null ? null : new Granted(token);
  }

  /**
   * Releases the lock if the claim holds it and no other waits; otherwise returns false and changes
   * nothing.
   */
  public boolean leave(StoreConnection connection, Claim claim) throws SQLException {
    return connection.prepare(release, dialect.text(claim.lock()), claim.id()).executeUpdate() == 1;
  }
}
