package dev.holdfast;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A lock that is held: the handle on a grant. Close it to give the lock back.
 *
 * <p><b>Promises.</b> It is renewed until closed. It never calls itself valid once the store could
 * have granted the next claim, by clocks that run at nearly the same rate. Its token is greater
 * than that of every earlier lease of the same lock, a reader's than that of every earlier writer,
 * and never changes. Permits have no order.
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

  /** The fencing token. Re-entry has the same. */
  long token();

  /** What a worker needs to check us. */
  Proof proof();

  /** {@return the holder} */
  Owner owner();

  /** Where it stands now. */
  LeaseState state();

  /** {@return whether it is HELD or in JEOPARDY at this moment; sends no request} */
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
   * right now if it is lost already, and when the store answers its release that it had been lost;
   * never if it is released first, also where an outer lease of the same thread, or the reader that
   * it became, is lost later. It runs on the client's executor ({@link Holdfast.Builder#executor}).
   *
   * @return takes the action back
   */
  Registration onLost(Runnable action);

  /** As {@link #onLost(Runnable)}, on an executor of the caller's choice. */
  Registration onLost(Runnable action, Executor executor);

  /**
   * Changes how long the lock is held, counted from now, and renews it: for work that turns out to
   * take longer or shorter than its options said.
   *
   * @param maxHold when the lock is given up at the latest; null without limit
   * @param minHold how long it stays taken at least
   * @throws LeaseLostException if it is over
   * @throws StoreException if the store does not answer; the limits hold all the same
   * @throws IllegalArgumentException if the store cannot honour them, or they contradict each other
   */
  void extend(@Nullable Duration maxHold, Duration minHold);

  /**
   * Ends the right of the acquiring thread to enter again, for a lease that is handed to another
   * thread: the next acquisition of the thread that acquired it queues like any other.
   */
  void unbind();

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
   * store, which would mask the result of the work: both are logged and sent as events, and {@link
   * #state} stays LOST. The methods that run a task for the caller ({@link DistributedLock#run}) do
   * throw.
   */
  @Override
  void close();
}
