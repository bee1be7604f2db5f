package dev.holdfast.engine.state;

import dev.holdfast.spi.Queued;

/**
 * What is known of the claim ahead of one that waits. If its client may keep it idle, a try is not
 * told busy at once: that client has a while to give it back, or to say that it works.
 *
 * <p>Not thread-safe.
 */
final class Ahead {

  /** How long the owner of a claim that may be idle has to answer. */
  private static final long OWNER_NANOS = Slice.NANOS;

  private static final long FIRST_POLL_NANOS = 1_000_000;

  /** True if it was met by a join that did not want to wait. */
  final boolean tried;

  // Mutable state
  private boolean keepable;
  private boolean polled;
  private long until; // when its owner has had its time
  private long poll = FIRST_POLL_NANOS;

  Ahead(boolean tried) {
    this.tried = tried;
  }

  /** The store says where the claim stands. */
  void heard(Queued queued, Moment now) {
    if (queued.behindKeepable() && !keepable) {
      until = now.nanos + OWNER_NANOS;
    }
    keepable = queued.behindKeepable();
  }

  /** {@return whether it may be idle, and its owner still has time to answer} */
  boolean maySoonBeFree(Moment now) {
    return keepable && now.nanos - until < 0;
  }

  /** {@return whether a try waits for the owner's answer, so that the store is asked for it} */
  boolean isPolled() {
    return polled && keepable;
  }

  /** {@return when the store is to be asked next: less and less often} */
  long nextPoll(Moment now) {
    polled = true;
    long next = now.nanos + poll;
    poll *= 2;
    return next;
  }

  /** {@return when its owner has had its time} */
  long until() {
    return until;
  }
}
