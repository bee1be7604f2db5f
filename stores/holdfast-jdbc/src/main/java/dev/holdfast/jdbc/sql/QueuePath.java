package dev.holdfast.jdbc.sql;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Standing;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Passes a lock from one holder to the next: one request joins the queue behind the holder, one
 * hands the lock off, and on some databases one renews a waiting claim. Each decides by the lock
 * row and its queue, and does nothing where more has to be considered than one claim: several
 * holders at a time, expired claims, a clock that was set back, a record of a newer version. Then
 * the {@code SlowPath} answers. They write what it would have written.
 *
 * <p>Immutable and thread-safe.
 */
public interface QueuePath {

  /**
   * Joins the queue behind the holder.
   *
   * @param claim of a lock with capacity 1
   * @return null if nothing changed
   */
  @Nullable Queued enqueue(StoreConnection connection, Claim claim) throws SQLException;

  /**
   * Releases the lock to the next claim, whose client is notified where the database can.
   *
   * @param claim of a lock with capacity 1
   * @return the id of the claim that was granted; null if nothing changed
   */
  @Nullable String handOff(StoreConnection connection, Claim claim) throws SQLException;

  /** Returns whether one request renews a waiting claim on such a connection. */
  default boolean renews(StoreConnection connection) {
    return false;
  }

  /**
   * Renews a claim that waits for the holder, or has been granted since.
   *
   * @param claim of a lock with capacity 1
   * @return null if nothing changed
   */
  default @Nullable Standing renew(StoreConnection connection, Claim claim) throws SQLException {
    return null;
  }
}
