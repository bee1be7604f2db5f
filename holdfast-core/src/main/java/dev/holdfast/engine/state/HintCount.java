package dev.holdfast.engine.state;

/** Counts the hints that were followed: a store that hints too often must not drive us. */
public final class HintCount {

  /** How many hints are followed at once in one period of refreshes. */
  public static final int MOST = 32;

  // Mutable state
  private int followed;
  private long countedFrom;

  /** Counts one more; whether it may be followed at once. */
  boolean mayFollow(long now, long period) {
    if (followed == 0 || now - countedFrom >= period) {
      followed = 0;
      countedFrom = now;
    }
    followed = Math.min(followed + 1, MOST + 1);
    return followed <= MOST;
  }
}
