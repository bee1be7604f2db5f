package dev.holdfast.testkit.promise;

/** As what a lock is used. */
public enum Construct {
  /** A mutex. */
  MUTEX(true),
  /** One of several locks that are held as one. */
  SEVERAL(true),
  /** The shared side of a read-write lock. */
  READ(false),
  /** The exclusive side of a read-write lock. */
  WRITE(true),
  /** Permits of a semaphore. */
  PERMIT(false),
  /** The leadership of an election. */
  LEADER(true),
  /** Nothing: the observation concerns a client, the store or the fence. */
  NONE(false);

  private final boolean exclusive;

  Construct(boolean exclusive) {
    this.exclusive = exclusive;
  }

  /** Returns whether its grants have an order of tokens. */
  public boolean isExclusive() {
    return exclusive;
  }
}
