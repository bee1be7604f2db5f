package dev.holdfast.testkit.promise;

/** What was observed. */
public enum What {
  /** A caller is about to ask. Has a {@link Request}. */
  ASKED,
  /** The caller has a lease. Has its token, and until when the lease calls itself valid. */
  GRANTED,
  /** The caller goes on with a lease that was detached, under the same token. */
  ATTACHED,
  /** The same thread has entered again, by the same attempt. Has the token. */
  REENTERED,
  /** The lease calls itself valid. Has until when, if known. */
  VALID,
  /** A renewal is overdue. */
  JEOPARDY,
  /** The lease does not call itself valid any more. */
  OVER,
  /** The action for the loss runs. */
  LOST,
  /** The caller has asked for other limits, counted from now. Has a {@link Request}. */
  EXTENDED,
  /** The writer is a reader from now on. */
  DOWNGRADED,
  /** The caller stops using the lease, and is about to give it back. */
  RELEASING,
  /** The release was answered: the lock was still ours. */
  RELEASED,
  /** The release was answered: the lock was not ours any more. */
  GONE,
  /**
   * The caller stops using the lease, and is about to leave it to the client that gets its handle.
   */
  DETACHED,
  /** The caller learned that somebody else has the lock. */
  BUSY,
  /** The caller learned that the store did not answer. */
  UNKNOWN,
  /** The caller does not want the lock any more. */
  CANCELLED,
  /** The caller learned another reason why not: closed, a mismatch, or that its lease was lost. */
  REFUSED,
  /** An operator is about to break the lock. */
  BROKE,
  /** The fence let somebody with this token enter. */
  ENTERED,
  /** The resource took a write with this token. */
  WROTE,
  /** The fence refused this token. */
  STALE,
  /** The client is gone, with all its callers. */
  CRASHED,
  /** The client stands still, or its machine sleeps. */
  PAUSED,
  /** It runs on. */
  RESUMED,
  /** From now on requests or answers may be lost, late or doubled, or clocks may jump. */
  TROUBLE,
  /** From now on every request is answered soon, and clocks run. */
  CALM,
  /** The store has forgotten what it stored of all locks. */
  FORGOT,
  /** At the end, a claim was found in the store that nobody wants. */
  FOUND
}
