package dev.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * A lock that is held: the handle on a grant. Close it to give the lock back.
 *
 * <p><b>Promises.</b> It is renewed until closed. It never calls itself valid once the store could
 * have let the next one in, by clocks that run at nearly the same rate. Its token is greater than
 * that of every earlier lease of the same lock, a reader's than that of every earlier writer, and
 * never changes. Permits have no order.
 *
 * <p><b>Does not promise</b> that the caller acts while it is valid: a thread may be paused between
 * the check and the act. Where that matters, send {@link #proof()} along and check it with a {@link
 * Fence} at the resource. See {@code docs/GUARANTEES.md}.
 *
 * <p><b>Threads.</b> All methods may be called by any thread. {@link #renew}, {@link #ensure},
 * {@link #release} and {@link #close} may wait for the store, for a bounded time; they do not throw
 * {@link InterruptedException}, and leave the interrupt flag as it was.
 */
public interface Lease extends AutoCloseable {

  /** The lock's name. */
  String lockName();

  /**
   * The leases that this one consists of, in the order of their names: one for each lock of {@link
   * Holdfast#lockAll}, itself otherwise. They end with the whole; do not close them one by one.
   */
  default List<Lease> parts() {
    return List.of(this);
  }

  /**
   * The fencing token. Re-entry has the same.
   *
   * @throws UnsupportedOperationException if it covers several locks: each of its {@link #parts}
   *     has one
   */
  long token();

  /**
   * What a worker needs to check us.
   *
   * @throws UnsupportedOperationException if it covers several locks: each of its {@link #parts}
   *     has one
   */
  Proof proof();

  /** Who holds it. */
  Owner owner();

  /** Where it stands now. */
  LeaseState state();

  /** Whether it is HELD or in JEOPARDY at this moment. No request is sent. */
  boolean isValid();

  /** How long it stays valid without another confirmation; zero when it is over. */
  Duration remaining();

  /**
   * Returns if the lease is valid for at least this long; renews it first if too little is left.
   * The double check before acting.
   *
   * @param atLeast at most validFor − renewEvery, which a healthy lease has at any time
   * @throws LeaseLostException if it is over, or ends sooner because of its maxHold
   * @throws StoreException if too little is left and the store does not answer
   * @throws IllegalArgumentException if no lease could promise so much
   */
  void ensure(Duration atLeast);

  /**
   * Renews now instead of waiting for the next turn.
   *
   * @throws LeaseLostException if it is over
   * @throws StoreException if the store does not answer; the lease stands until its deadline
   */
  void renew();

  /**
   * Runs an action once when the lease is lost, at its deadline even while the store is silent;
   * right now if it is lost already; never if it is released first, also where an outer lease of
   * the same thread, or the reader that it became, is lost later. It runs on the client's executor
   * ({@link Holdfast.Builder#executor}).
   *
   * @return takes the action back
   */
  Registration onLost(Runnable action);

  /** As {@link #onLost(Runnable)}, on an executor of the caller's choice. */
  Registration onLost(Runnable action, Executor executor);

  /**
   * Gives the lock back; the outermost of nested leases does, inner ones only count.
   *
   * @return whether the lock was still ours until now
   * @throws StoreException if the store does not answer: the lock frees itself within its ttl at
   *     the latest
   */
  boolean release();

  /** As {@link #release}, without waiting. */
  CompletableFuture<Boolean> releaseAsync();

  /**
   * Stops renewing without giving the lock back, so that another process can resume it with {@link
   * Holdfast#attach} before its ttl ends. This lease is then released here.
   *
   * @throws UnsupportedOperationException if the store ties leases to a connection, or the lock is
   *     no mutex
   * @throws IllegalStateException if the lease is shared with other callers of this client
   */
  LeaseHandle detach();

  /**
   * Gives the lock back. Does nothing the second time. Never throws for a lost lease or a silent
   * store, which would mask the result of the work: both are logged and told to the listener.
   */
  @Override
  void close();
}
