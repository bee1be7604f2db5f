package dev.holdfast.engine.state;

import dev.holdfast.Traits;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Tokens;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What all locks of a client share: its limits, and what new tokens must be greater than. That is
 * what the client has seen of its store, whichever lock it was, and what was raised for one lock.
 * Thread-safe.
 *
 * <p>What was seen protects after a fail-over to a server that has forgotten the last grants. It
 * counts only up to this machine's clock: tokens that a store makes from its own clock are not
 * above it, and one that is must not drag the tokens of all other locks along.
 */
public final class ClientState {

  /** Makes claims: ids come from outside, so that a test can repeat them. */
  @FunctionalInterface
  public interface Claims {
    /** A new claim for this request. */
    Claim make(Request request, int spares, long floor);
  }

  final Claims claims;
  final long operationTimeout;
  final boolean queues; // whether the store keeps waiters in a queue
  final boolean pushes; // whether the store tells a claim that its turn has come
  final boolean tellsHolders; // when a keepable claim of theirs is wanted
  final boolean ownTtl; // each claim has its own ttl, which a renewal may shorten
  private final long minTtl;
  private final long ttlResolution;
  final long maxFloor; // the greatest one that the store takes
  final AtomicLong numbers = new AtomicLong(); // of tenures
  final AtomicLong seen = new AtomicLong();
  final Returns returns = new Returns();
  final RaisedFloors raised = new RaisedFloors();

  /** Of a client of a store with these traits. */
  public ClientState(Claims claims, Duration operationTimeout, Traits traits) {
    this.claims = claims;
    this.operationTimeout = operationTimeout.toNanos();
    this.queues = traits.fair();
    this.pushes = traits.pushes();
    this.tellsHolders = traits.tellsHolders();
    this.ownTtl = traits.ownTtl();
    this.minTtl = traits.minTtl().toNanos();
    this.ttlResolution = Math.max(1, traits.ttlResolution().toNanos());
    this.maxFloor = traits.maxFloor() == 0 ? Tokens.MAX_FLOOR : traits.maxFloor();
  }

  /** The shortest ttl that the store can keep a claim for and that is not shorter than this. */
  long ttlOf(long nanos) {
    long rounded = Math.floorDiv(nanos + ttlResolution - 1, ttlResolution) * ttlResolution;
    return Math.max(rounded, minTtl);
  }

  /** The claim, asking for no more life than this, where the store can shorten it. */
  public Claim shortened(Claim claim, long nanos) {
    long ttl = claim.ttl().toNanos();
    long asked = ownTtl && nanos < ttl ? Math.min(ttl, ttlOf(nanos)) : ttl;
    return asked == ttl ? claim : claim.lasting(Duration.ofNanos(asked));
  }

  /** Raises the floor of one lock. */
  public void raise(String lock, long token, Moment now) {
    raised.raise(lock, token, now.nanos);
  }
}
