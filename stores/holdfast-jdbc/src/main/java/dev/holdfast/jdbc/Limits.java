package dev.holdfast.jdbc;

import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Ticker;
import java.time.Duration;

/**
 * What the server itself puts an end to. A client that is paused, or whose machine has vanished,
 * closes nothing: without limits it would keep rows locked for as long as it is away, and its
 * requests would go on waiting for rows.
 *
 * <p>A wait for a row that the server ends is begun again until the operation's deadline, so a
 * limit changes no answer. It is the shortest that all servers can count.
 */
final class Limits {

  /** How long a request waits for a row, and how long a transaction waits for its client. */
  static final int SECONDS = 1;

  /** The same in milliseconds. */
  static final int MILLIS = SECONDS * 1_000;

  /**
   * How long after an operation's deadline its connection is waited for. By then the server has
   * ended every wait for a row, even if it looks for those only once a second, so the connection
   * can be used again: one that is given up would stay at the server until it notices.
   */
  private static final int RECLAIM_MILLIS = 2 * MILLIS + 500;

  /** The system's: a test may drive the store's ticker, but the database waits in real time. */
  private static final Ticker CLOCK = Ticker.system("holdfast-jdbc-clock");

  private Limits() {}

  /** For what the store does by itself. */
  static Deadline deadline(Duration timeout) {
    return Deadline.in(timeout, CLOCK);
  }

  /** How long an answer of the server to an operation with this deadline is waited for. */
  static int millis(Deadline deadline) {
    long millis = Math.max(0, deadline.remainingNanos()) / 1_000_000 + RECLAIM_MILLIS;
    return (int) Math.min(millis, Integer.MAX_VALUE);
  }
}
