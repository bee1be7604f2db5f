package dev.holdfast;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened to a lock of this client.
 *
 * @param type what happened
 * @param lock the lock's name; empty for a store call that concerns several
 * @param kind what the lock is used as; null for store calls
 * @param mode how the request or lease excludes others; null for store calls
 * @param label the label of the request or lease; empty if it has none
 * @param token the fencing token; 0 where there is none (yet)
 * @param outcome for {@link Type#WAIT_ENDED} granted, busy, timeout, interrupted, cancelled,
 *     unknown or failed; for {@link Type#RENEWED} confirmed, gone or unknown; for {@link Type#LOST}
 *     the name of a {@link LossReason}; for {@link Type#STORE_CALL} answered or failed; otherwise
 *     empty
 * @param verb for {@link Type#STORE_CALL} what was asked: join, refresh, leave, evict, inspect,
 *     list or diagnose; otherwise empty
 * @param duration how long the wait, the hold, the renewal or the store call took; for {@link
 *     Type#JEOPARDY} how long the lease stays valid; otherwise zero
 * @param cause what the store reported, if it failed
 */
public record LockEvent(
    Type type,
    String lock,
    @Nullable Kind kind,
    @Nullable Mode mode,
    String label,
    long token,
    String outcome,
    String verb,
    Duration duration,
    @Nullable Throwable cause) {

  /** What can happen. */
  public enum Type {
    /** A caller asked for the lock and does not have it yet. */
    WAIT_STARTED,
    /** The wait of a caller is over. */
    WAIT_ENDED,
    /** The store granted the lock and a lease began. */
    GRANTED,
    /** The client passed the lock on between its threads and a lease began. */
    HANDED_OFF,
    /** The store answered a renewal, or did not. */
    RENEWED,
    /** A renewal is overdue. */
    JEOPARDY,
    /** A lease was lost. */
    LOST,
    /** A lease was given back. */
    RELEASED,
    /** The store answered a request, or did not. */
    STORE_CALL
  }

  /** A call of the store, about this lock or, if empty, several. */
  public static LockEvent storeCall(
      String verb, String lock, Duration duration, @Nullable Throwable cause) {
    return new LockEvent(
        Type.STORE_CALL,
        lock,
        null,
        null,
        "",
        0,
        cause == null ? "answered" : "failed",
        verb,
        duration,
        cause);
  }
}
