package dev.holdfast.engine.state;

import dev.holdfast.spi.Tokens;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What new tokens of a client must be greater than: what it has seen of its store, whichever lock
 * it was, and what was raised for one lock. Thread-safe.
 *
 * <p>What was seen protects after a fail-over to a server that has forgotten the last grants. It
 * counts only up to this machine's clock: tokens that a store makes from its own clock are not
 * above it, and one that is must not drag the tokens of all other locks along.
 */
public final class Floor {

  private final long greatest;
  private final AtomicLong seen = new AtomicLong();
  private final RaisedFloors raised = new RaisedFloors();

  /**
   * Of a client of a store.
   *
   * @param maxFloor the greatest floor that the store takes; 0 if it takes none
   */
  public Floor(long maxFloor) {
    this.greatest = maxFloor == 0 ? Tokens.MAX_FLOOR : maxFloor;
  }

  /** What a new grant of this lock must exceed. */
  public long of(String lock, Moment now) {
    long highest = seen.get();
    long counted = highest == 0 ? 0 : Math.min(highest, now.wallMicros());
    return Math.max(counted, raised(lock, now));
  }

  /** What was raised for this lock: no token up to it is used any more. */
  long raised(String lock, Moment now) {
    return raised.of(lock, now.nanos);
  }

  /** As it is sent: a store refuses greater ones, and knows by itself what it has granted. */
  long sendable(long floor) {
    return Math.min(floor, greatest);
  }

  void see(long token) {
    if (seen.get() < token) {
      seen.accumulateAndGet(token, Math::max);
    }
  }

  /** Raises the floor of one lock. */
  public void raise(String lock, long token, Moment now) {
    raised.raise(lock, token, now.nanos);
  }
}
