package dev.holdfast;

/**
 * Where a lease stands. HELD and JEOPARDY can change; LOST is final, and so is RELEASED once the
 * store has answered the release: it may answer that the lease was lost before.
 */
public enum LeaseState {
  /** Held and confirmed in time. */
  HELD,
  /** Still held, but a renewal is overdue: finish soon or expect the loss. */
  JEOPARDY,
  /** It is over without our doing: another holder may be running. */
  LOST,
  /** It is over because we gave it back. */
  RELEASED
}
