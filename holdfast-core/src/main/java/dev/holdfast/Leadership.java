package dev.holdfast;

/**
 * The lease of a leader. While it is valid nobody else leads; close it, or {@link #resign}, to give
 * way to the next leader.
 *
 * <p>That of a {@link Candidacy} is released after its listener has returned from {@code ended}:
 * {@code close}, {@code release} and {@code resign} ask for that and return at once. {@code
 * releaseAsync} asks too, and completes when it has been released; code that {@code ended} waits
 * for must not wait for it.
 *
 * <p><b>Threads.</b> As {@link Lease}; {@link #publish} may wait for the store, for a bounded time.
 */
public interface Leadership extends Lease {

  /** What was published last by this leader. */
  String value();

  /**
   * Publishes another value, with the same token. Others see it when this returns; a renewal that
   * was under way meanwhile may show them the last one again, until it is answered.
   *
   * @param value at most 1 KiB of UTF-8, no NUL
   * @throws LeaseLostException if it is over
   * @throws StoreException if the store does not answer; the next renewal publishes it
   */
  void publish(String value);

  /**
   * Gives the leadership back, or asks the candidacy to: the same as {@link #release}.
   *
   * @return whether it was ours until now
   */
  default boolean resign() {
    return release();
  }
}
