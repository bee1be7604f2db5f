package dev.holdfast.testkit.explorer;

/** What must be true in every state of every run. */
public enum Invariant {
  /** No two leases that exclude each other are valid at the same moment. */
  EXCLUSION,
  /** A valid lease ends at least its margin before its claim does in the store. */
  COVERED_BY_THE_STORE,
  /** A lease is valid when a caller gets it, and once over it stays over. */
  LOSS_IS_FINAL,
  /** A lease is lost only by a break, its maxHold, or a renewal without an answer. */
  LOSS_IS_TRUE,
  /** A lease ends as released by its own close and by no other. */
  OPEN_UNTIL_ITS_CLOSE,
  /**
   * A thread enters again with the token of its hold as long as that is valid, and not any more
   * after its loss.
   */
  RE_ENTRY,
  /** A lease that was handed off has at least half of its validity left. */
  HAND_OFF_LEAVES_TIME,
  /** Tokens are unique, and rise with every exclusive grant. */
  TOKENS_RISE,
  /** No token at or below a raised floor is handed out. */
  ABOVE_THE_FLOOR,
  /** Busy is reported only when another caller had or wanted the lock during the wait. */
  BUSY_IS_TRUE,
  /** Unknown is reported only when an answer was lost, refused or late. */
  UNKNOWN_IS_TRUE,
  /** A caller that gave up has no claim in the store, unless an answer was lost. */
  GIVING_UP_IS_LEAVING,
  /** When all messages have arrived, a claim that the store has granted is known to its caller. */
  GRANTS_ARE_HEARD,
  /** When all messages have arrived, the lease of a broken lock knows that it is over. */
  BREAKS_ARE_HEARD,
  /**
   * When no caller wants the lock any more, no claim is left, and no name in any client, but for a
   * claim that is kept, and that for no longer than the options say.
   */
  NOTHING_IS_LEFT,
  /** When all messages have arrived, no idle claim stays that another one waits behind. */
  WANTED_IS_GIVEN_BACK,
  /** A caller is not told busy by an idle claim whose client hears in time that it is wanted. */
  KEPT_IS_NOT_BUSY,
  /** A closed client has no claim in the store. */
  CLOSE_LEAVES,
  /** A request with a limit is decided one operation time-out after it. */
  LIMITS_ARE_KEPT,
  /** Every request and release is decided in the end. */
  EVERYTHING_IS_DECIDED,
  /** One event makes a bounded number of calls on a bounded stack, and every run ends. */
  BOUNDED_WORK,
  /** No claim is to live beyond the maxHold of its lease. */
  MAX_HOLD,
  /** No other lease begins before the minHold of a released one is over. */
  MIN_HOLD,
  /** Requests end in a lease, busy, unknown, or because the client is closed. */
  KNOWN_OUTCOMES
}
