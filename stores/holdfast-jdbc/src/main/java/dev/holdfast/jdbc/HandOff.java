package dev.holdfast.jdbc;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Standing;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A lock that goes from one holder to the next: one request queues up behind the holder, one passes
 * the lock on, and on some databases one tells whether the turn has come. Each decides by the lock
 * row and its queue, and does nothing where there is more to consider than one claim that comes,
 * waits or goes: more than one holder at a time, claims that have expired, a clock that was set
 * back, a record of a newer version. Then the {@link SlowPath} answers. What they write is what it
 * would have written.
 *
 * <p>Constant, and safe for any threads.
 */
interface HandOff {

  /**
   * Queues the claim up behind the one that holds the lock.
   *
   * @param claim of a lock that one holds at a time
   * @return null if nothing changed
   */
  @Nullable Queued queueUp(Session session, Claim claim) throws SQLException;

  /**
   * Releases the lock to the next in line, whose client is told where the database tells anybody.
   *
   * @param claim of a lock that one holds at a time
   * @return the id of the claim that was let in; null if nothing changed
   */
  @Nullable String passOn(Session session, Claim claim) throws SQLException;

  /** Whether on such a session one request tells how a claim stands that waits, and renews it. */
  default boolean renews(Session session) {
    return false;
  }

  /**
   * Renews a claim that waits for the one that holds the lock, or that has been let in since.
   *
   * @param claim of a lock that one holds at a time
   * @return null if nothing changed
   */
  default @Nullable Standing renew(Session session, Claim claim) throws SQLException {
    return null;
  }
}
