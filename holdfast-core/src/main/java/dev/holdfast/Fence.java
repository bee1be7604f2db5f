package dev.holdfast;

/**
 * The guard at the protected resource: refuses a token older than the resource has seen.
 *
 * <p>{@link #enter} <b>before the first read</b> of the protected data, {@link #check} with each
 * write. A fence that only checked writes would let an old writer slip in between the new holder's
 * read and its write.
 *
 * <p>Exclusive tokens raise the fence; shared ones are checked against the last exclusive one and
 * never raise it; permits of a semaphore cannot be ordered and are refused with {@link
 * IllegalArgumentException}: verify them instead.
 *
 * <p>Equal tokens pass: one holder writes many times.
 *
 * <p>{@link dev.holdfast.fence.FileFence} guards a file; {@code holdfast-jdbc}, {@code
 * holdfast-redis}, {@code holdfast-zookeeper} and {@code holdfast-etcd} have fences for what they
 * store. {@link RequestGuard} also asks the store for the holder.
 */
public interface Fence {

  /**
   * Raises the fence to the proof's token.
   *
   * @throws StaleTokenException if a later holder has entered
   */
  void enter(Proof proof);

  /**
   * Checks a write.
   *
   * @throws StaleTokenException if a later holder has entered
   */
  void check(Proof proof);

  /**
   * Tells where the fence of a lock stands; for operators.
   *
   * @return the highest exclusive token that has entered; 0 if none has
   * @throws StoreException if what is stored is not a token; the message names the place
   */
  long current(String lock);

  /**
   * Puts the fence of a lock at this token, whatever it stands at and even if what is stored cannot
   * be read; for operators, once no holder with an older token is left: it would pass again.
   *
   * @param token the lowest that passes from now on; 0 lets every token pass
   * @throws IllegalArgumentException if the token is negative or above {@link
   *     dev.holdfast.spi.Tokens#MAX}
   */
  void reset(String lock, long token);

  /**
   * A fence in this JVM's memory, for resources that live there. It does not know the resource: let
   * nobody enter between a check and its write, by one mutex around each, or one thread for all.
   */
  static Fence inMemory() {
    return new InMemoryFence();
  }
}
