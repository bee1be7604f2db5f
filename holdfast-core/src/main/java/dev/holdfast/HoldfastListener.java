package dev.holdfast;

import java.time.Duration;

/**
 * Hears what happens to the locks of a client. Called on the client's executor; a listener that
 * throws disturbs nobody, and its failure is logged once.
 */
public interface HoldfastListener {

  /** A lease began. */
  default void acquired(String lock, long token, Duration waited) {}

  /** Somebody stopped waiting: time-out, interrupt or cancellation. */
  default void gaveUp(String lock, Duration waited) {}

  /** A lease was given back. */
  default void released(String lock, long token, Duration held) {}

  /** A renewal is overdue. */
  default void jeopardy(String lock, long token, Duration remaining) {}

  /** A lease was lost. */
  default void lost(String lock, long token, String reason) {}

  /** The store did not answer, or answered with an error; its effect is unknown. */
  default void storeFailed(String operation, String lock, Throwable cause) {}
}
