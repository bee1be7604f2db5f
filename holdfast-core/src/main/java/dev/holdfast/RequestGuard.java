package dev.holdfast;

import java.util.Collection;
import java.util.List;

/**
 * The guard of a worker that gets orders from the holder of a lock: checks both who holds the lock
 * now and what the resource has seen.
 *
 * <ol>
 *   <li>The store is asked whether the sender holds the lock now. That refuses a holder that was
 *       replaced, whatever its own clock says, even before its successor has sent anything.
 *   <li>The fence at the resource refuses a smaller token. That refuses a holder that was replaced,
 *       or overtaken by another thread of its client, after the store had answered.
 * </ol>
 *
 * <p>{@link #enter} before the first read for a request, {@link #check} before each further write.
 * Each asks the store once. Permits of a semaphore are verified and, having no order, not fenced.
 *
 * <p><b>Does not promise</b> that the sender is who it says: a proof is no secret. What can be done
 * with one that was copied or altered is bounded by what the store has reserved for the claim that
 * runs; with {@link #requiring} nothing can be done with an altered one. Nor does it know which
 * lock protects the resource: compare {@link Proof#lock} first. Nor that nobody enters between a
 * check and the write that follows: a resource that serves several at once must see to that, as one
 * that fences by itself does (a transaction, a script, a file).
 *
 * <p>Thread-safe if the fence is.
 */
public final class RequestGuard {

  private final Holdfast locks;
  private final Fence fence;
  private final List<ProofKey> keys;

  private RequestGuard(Holdfast locks, Fence fence, List<ProofKey> keys) {
    this.locks = locks;
    this.fence = fence;
    this.keys = keys;
  }

  /** Asks this client's store about senders, and this fence about their tokens. */
  public static RequestGuard of(Holdfast locks, Fence fence) {
    return new RequestGuard(locks, fence, List.of());
  }

  /**
   * The same guard that refuses proofs not signed with one of these keys, before it asks the store.
   *
   * @throws IllegalArgumentException if there are no keys
   */
  public RequestGuard requiring(Collection<ProofKey> someKeys) {
    if (someKeys.isEmpty()) {
      throw new IllegalArgumentException("no keys given: nobody could sign");
    }
    return new RequestGuard(locks, fence, List.copyOf(someKeys));
  }

  /**
   * Accepts a request: from here on, smaller tokens are refused.
   *
   * @throws UntrustedProofException if it must be signed and is not, or was altered
   * @throws LeaseLostException if the sender does not hold the lock now
   * @throws StaleTokenException if a later holder has entered
   * @throws StoreException if the store or the resource does not answer, or this client is closed:
   *     refuse the request
   */
  public void enter(Proof proof) {
    verify(proof);
    if (proof.mode() != Mode.PERMIT) {
      fence.enter(proof);
    }
  }

  /**
   * Checks a write.
   *
   * @throws UntrustedProofException if it must be signed and is not, or was altered
   * @throws LeaseLostException if the sender does not hold the lock now
   * @throws StaleTokenException if a later holder has entered
   * @throws StoreException if the store or the resource does not answer, or this client is closed:
   *     do not write
   */
  public void check(Proof proof) {
    verify(proof);
    if (proof.mode() != Mode.PERMIT) {
      fence.check(proof);
    }
  }

  private void verify(Proof proof) {
    if (!keys.isEmpty() && !proof.isSignedBy(keys)) {
      throw new UntrustedProofException(proof.lock(), !proof.signature().isEmpty());
    }
    if (!isHolder(proof)) {
      throw new LeaseLostException(
          proof.lock(),
          proof.token(),
          "of " + proof.owner().describe() + " is not known to the store, or not any more");
    }
  }

  private boolean isHolder(Proof proof) {
    try {
      return locks.verify(proof);
    } catch (IllegalStateException closed) {
      // To a sender it makes no difference why the store is not asked.
      throw new StoreException(
          proof.lock(), "No answer about '" + proof.lock() + "': " + closed.getMessage(), closed);
    }
  }
}
