package dev.holdfast;

/** Where a lease stands. Only HELD and JEOPARDY can change; LOST and RELEASED are final. */
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
