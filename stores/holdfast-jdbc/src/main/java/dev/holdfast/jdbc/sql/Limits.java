package dev.holdfast.jdbc.sql;

import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Ticker;
import java.time.Duration;

/**
 * Limits that the server enforces. A client that is paused, or whose machine has vanished, closes
 * nothing: without limits it would keep rows locked while it is away, and its requests would go on
 * waiting for rows.
 *
 * <p>A wait for a row that the server ends is repeated until the operation's deadline, so a limit
 * changes no answer. It is the shortest that all servers support.
 */
public final class Limits {

  /** How long a request waits for a row, and how long a transaction waits for its client. */
  public static final int SECONDS = 1;

  /** The same in milliseconds. */
  public static final int MILLIS = SECONDS * 1_000;

  /** The system's: a test may drive the store's ticker, but the database waits in real time. */
  private static final Ticker CLOCK = Ticker.system("holdfast-jdbc-clock");

  private Limits() {}

  /** Returns a deadline for an operation that the store starts itself. */
  public static Deadline deadline(Duration timeout) {
    return Deadline.in(timeout, CLOCK);
  }
}
