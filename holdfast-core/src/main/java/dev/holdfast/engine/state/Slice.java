package dev.holdfast.engine.state;

/**
 * For how long a granted claim serves this client alone: how often and how long its threads may
 * pass it on, and whether it stays at the store while nobody holds it. A slice ends early when
 * another client wants the lock; otherwise the store is asked at its end whether one does.
 *
 * <p>Not thread-safe.
 */
public final class Slice {

  /** How many times a claim may be handed off before the store is asked again. */
  public static final int PASSES = 1000;

  /** For how long it may be handed off, if the options do not say otherwise. */
  public static final long NANOS = 100_000_000;

  // Mutable state
  long end;
  boolean timed; // a look at its end is planned
  int passes;
  boolean wanted; // others wait behind the claim
  boolean asking; // the refresh under way tells whether the next slice may begin
  boolean last; // the store has no more tokens for this claim
  boolean hot; // this client comes back to the lock again and again
  boolean kept; // idle since its last hold
  long keptUntil;

  void begin(LockSpec spec, Moment now) {
    end = now.nanos + spec.sliceNanos;
    passes = 0;
    timed = false;
  }

  /** The store has said whether others wait, and given tokens for the next slice, or none. */
  void answered(LockSpec spec, boolean more, Moment now) {
    asking = false;
    last = !more;
    if (!wanted) {
      hot |= isBusy();
      begin(spec, now);
    }
  }

  /** {@return whether the claim may be handed off once more} */
  boolean lasts(LockSpec spec, Moment now) {
    return passes < PASSES && !(wanted && spec.yields) && end - now.nanos > 0;
  }

  /** {@return whether an idle claim may stay: nobody else wants it, and it was used again} */
  boolean mayBeKept(Moment now) {
    return !wanted && (hot || isBusy()) && !(kept && now.nanos - keptUntil >= 0);
  }

  void keep(long nanos, Moment now) {
    if (!kept) {
      kept = true;
      keptUntil = now.nanos + nanos;
    }
  }

  private boolean isBusy() {
    return passes >= Returns.OFTEN;
  }
}
