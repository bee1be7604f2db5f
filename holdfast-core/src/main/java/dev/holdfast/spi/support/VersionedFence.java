package dev.holdfast.spi.support;

/**
 * A fence in a store with compare-and-set: two round trips to raise it, one if it stands high
 * enough. Thread-safe if the store's requests are.
 */
public abstract class VersionedFence extends StoredFence {

  /**
   * A fence as it was read.
   *
   * @param token {@link dev.holdfast.FenceToken#NONE} if nothing is stored
   * @param version by which the store tells whether it has changed since
   */
  public record FenceState(long token, long version) {}

  /** For stores. */
  protected VersionedFence() {}

  /** Reads where the fence stands. */
  protected abstract FenceState read(String lock);

  /**
   * Stores a token.
   *
   * @return false if the fence has changed since it was read: then nothing was stored
   */
  protected abstract boolean replace(String lock, FenceState seen, long token);

  /**
   * Confirms what was read, where a read may be behind what the store has acknowledged.
   *
   * @return false if it must be read again
   */
  protected boolean confirm(String lock, FenceState seen) {
    return true;
  }

  @Override
  protected final long raise(String lock, long token) {
    while (true) {
      FenceState seen = read(lock);
      boolean stands = token <= seen.token() ? confirm(lock, seen) : replace(lock, seen, token);
      if (stands) {
        return Math.max(token, seen.token());
      } // else another token has entered meanwhile
    }
  }

  @Override
  public final long current(String lock) {
    return read(lock).token();
  }
}
