package dev.holdfast.engine.state;

/** Bounds how many hints a claim follows at once: a store must not drive us. Not thread-safe. */
public final class HintLimit {

  /** How many are followed at once in one period of refreshes. */
  public static final int MOST = 32;

  // Mutable state
  private int followed;
  private long from;

  /** {@return whether another one may be followed at once} */
  boolean mayFollow(long period, Moment now) {
    if (followed == 0 || now.nanos - from >= period) {
      followed = 0;
      from = now.nanos;
    }
    followed = Math.min(followed + 1, MOST + 1);
    return followed <= MOST;
  }
}
