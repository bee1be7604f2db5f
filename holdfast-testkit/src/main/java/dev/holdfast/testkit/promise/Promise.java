package dev.holdfast.testkit.promise;

/** The promises of {@code docs/GUARANTEES.md} that a {@link History} can break. */
public enum Promise {
  /** Of a mutex, and of each of several locks. */
  EXCLUSION("At most one lease of a mutex is valid at a time."),
  /** Of a read-write lock. */
  WRITERS_ARE_ALONE("While a writer's lease is valid, no other lease of that lock is."),
  /** Of a semaphore. */
  PERMITS("The permits of valid leases never add up to more than the semaphore has."),
  /** Of an election. */
  ONE_LEADER("At most one leadership is valid at a time."),
  /** Of the tokens of a mutex, a writer and a leader, and of readers and writers. */
  TOKENS_RISE("Of two grants that exclude each other, the later one has the greater token."),
  /** Within a client. */
  HAND_OFF_RISES("A lock that a client passes between its threads gets a greater token."),
  /** Of all grants of a lock. */
  TOKENS_DIFFER("No two grants of a lock have the same token."),
  /** Of re-entry. */
  SAME_TOKEN("Re-entry has the same token."),
  /** Of a fence. */
  NO_STALE_WRITE("Once a later holder has entered, a fence takes no write of an earlier one."),
  /** Of a fence. */
  FENCE_TAKES_THE_NEWEST("A fence refuses no token unless it has seen a greater one."),
  /** Of a loss, seen by others. */
  LOSS_FIRST("A holder that runs learns of its loss before anybody else is granted the lock."),
  /** Of a loss, seen by its holder. */
  LOSS_IN_TIME("The action for a loss runs as soon as the lease is over."),
  /** Of a loss. */
  LOSS_IS_FINAL("A lost lease stays lost."),
  /** Of a release. */
  NO_QUIET_LOSS("A release does not call a lock its own that was lost before."),
  /** Of waiting. */
  TAKEOVER("Nobody waits longer than ttl and late takeover while nobody holds the lock."),
  /** Of claims that are kept. */
  KEPT_IS_GIVEN_BACK("A lock that nobody holds goes at once to another client that waits for it."),
  /** Of claims that are kept. */
  KEPT_IS_VALID("A lease that takes no request is valid when its caller gets it."),
  /** Of order. */
  FIRST_COME("On a fair store, claims are served first come, first served."),
  /** Of a limit. */
  LIMITS("A wait ends one operation time-out after its limit."),
  /** Of busy. */
  BUSY_IS_TRUE("A caller gets busy only if somebody else has, keeps or wants the lock."),
  /** Of unknown. */
  UNKNOWN_IS_TRUE("A caller gets unknown only if the store did not answer in time."),
  /** Of minHold. */
  MIN_HOLD("A lock that is released early stays taken until its minHold is over."),
  /** Of maxHold. */
  MAX_HOLD("A lease is over when its maxHold is."),
  /** Of a break. */
  BREAK_IS_NOTICED("A holder notices within renewEvery that its lock was broken."),
  /** Of the end. */
  NOTHING_IS_LEFT("When nobody wants a lock any more, the store keeps no claim of it.");

  private final String sentence;

  Promise(String sentence) {
    this.sentence = sentence;
  }

  /** {@return the promise in words} */
  public String sentence() {
    return sentence;
  }
}
