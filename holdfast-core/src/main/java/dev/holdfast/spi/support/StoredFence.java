package dev.holdfast.spi.support;

import dev.holdfast.Fence;
import dev.holdfast.FenceToken;
import dev.holdfast.Proof;
import dev.holdfast.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * A fence that keeps the highest exclusive token of each lock in a store. The rules are here; a
 * store brings {@link #raise}, which is its one step, and {@link #put} for operators.
 *
 * <p>Anyone may have written what is stored: a store reads it with {@link #token}, which refuses
 * what a fence could not have written. Thread-safe if the store's steps are.
 */
public abstract class StoredFence implements Fence {

  /** For stores. */
  protected StoredFence() {}

  /**
   * Raises the fence to this token, unless it stands there or higher; nothing comes between the
   * look and the change.
   *
   * @param token {@link FenceToken#NONE} for a look that changes nothing
   * @return where the fence stands now
   */
  protected abstract long raise(String lock, long token);

  /**
   * Puts the fence at this token, whatever is stored; at {@link FenceToken#NONE} also by removal.
   */
  protected abstract void put(String lock, long token);

  /** {@return where the token is stored, for messages: the key, row or node} */
  protected abstract String place(String lock);

  /** Raises the fence in one step with the look at it: a later holder is noticed. */
  @Override
  public void enter(Proof proof) {
    FenceToken.refuseOlder(proof, raise(proof.lock(), FenceToken.raising(proof)));
  }

  @Override
  public void check(Proof proof) {
    FenceToken.of(proof);
    FenceToken.refuseOlder(proof, raise(proof.lock(), FenceToken.NONE));
  }

  @Override
  public long current(String lock) {
    return raise(lock, FenceToken.NONE);
  }

  @Override
  public void reset(String lock, long token) {
    put(lock, FenceToken.forReset(lock, token));
  }

  /**
   * Reads what is stored.
   *
   * @throws StoreException if it is not a token; the message names the place
   */
  protected final long token(String lock, @Nullable String text) {
    return FenceToken.read(lock, place(lock), text);
  }

  /** For a place that holds something else than a token. */
  protected final StoreException damaged(String lock, String found) {
    return FenceToken.damaged(lock, place(lock), found);
  }
}
