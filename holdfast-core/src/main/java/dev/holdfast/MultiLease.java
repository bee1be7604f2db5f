package dev.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * The lease on several locks: as good as the worst of them. Lost as soon as one of them is; gives
 * all of them back even if the store does not answer for one. Its {@link #parts} have the tokens
 * and proofs. Thread-safe.
 */
public interface MultiLease extends AutoCloseable {

  /**
   * @return the leases, in the order of their names. They end with the whole; do not close them one
   *     by one
   */
  List<Lease> parts();

  /**
   * @return the lease on this lock
   * @throws IllegalArgumentException if it is not one of them
   */
  Lease part(String name);

  /** The worst state of its parts: LOST, RELEASED, JEOPARDY or HELD. */
  LeaseState state();

  /** {@return whether all of them are valid at this moment; sends no request} */
  boolean isValid();

  /** How long all of them stay valid without another confirmation. */
  Duration remaining();

  /** See {@link Lease#ensure}, for all of them. */
  void ensure(Duration atLeast);

  /** Renews all of them at the same time; see {@link Lease#renew}. */
  void renew();

  /** Runs an action once when the first of them is lost; see {@link Lease#onLost(Runnable)}. */
  Registration onLost(Runnable action);

  /** As {@link #onLost(Runnable)}, on an executor of the caller's choice. */
  Registration onLost(Runnable action, Executor executor);

  /**
   * Gives all of them back.
   *
   * @return whether all of them were still ours until now
   * @throws StoreException if the store does not answer for one; all have been tried
   */
  boolean release();

  /** As {@link #release}, without waiting. */
  CompletableFuture<Boolean> releaseAsync();

  /** Gives all of them back. Does nothing the second time; see {@link Lease#close}. */
  @Override
  void close();
}
