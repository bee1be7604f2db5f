package dev.holdfast;

/**
 * What a lock is used as. All kinds follow one rule: a claim is granted when the weights of the
 * claims ahead of it plus its own fit the capacity.
 */
public enum Kind {
  /** One holder at a time: capacity 1, weight 1. */
  MUTEX,
  /** As many permits as the capacity says; a claim weighs the permits it wants. */
  SEMAPHORE,
  /** Many readers (weight 1) or one writer (weight {@link #UNBOUNDED}). */
  READ_WRITE,
  /** One leader at a time, with a published value: capacity 1, weight 1. */
  ELECTION;

  /** Capacity of a read-write lock and weight of its writer; exact in every store's arithmetic. */
  public static final int UNBOUNDED = Integer.MAX_VALUE;

  /**
   * Refuses a weight or capacity that this kind cannot have.
   *
   * @throws IllegalArgumentException naming the values
   */
  public void check(int weight, int capacity) {
    boolean fits =
        switch (this) {
          case MUTEX, ELECTION -> capacity == 1 && weight == 1;
          case SEMAPHORE -> capacity >= 1 && weight >= 1 && weight <= capacity;
          case READ_WRITE -> capacity == UNBOUNDED && (weight == 1 || weight == UNBOUNDED);
        };
    if (!fits) {
      throw new IllegalArgumentException(
          "a claim of kind " + this + " cannot have weight " + weight + " of capacity " + capacity);
    }
  }

  /** How a claim of this kind and weight excludes others. */
  public Mode mode(int weight) {
    return switch (this) {
      case MUTEX, ELECTION -> Mode.EXCLUSIVE;
      case READ_WRITE -> weight == UNBOUNDED ? Mode.EXCLUSIVE : Mode.SHARED;
      case SEMAPHORE -> Mode.PERMIT;
    };
  }
}
