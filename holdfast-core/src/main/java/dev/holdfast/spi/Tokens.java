package dev.holdfast.spi;

/**
 * A run of consecutive tokens.
 *
 * @param first the smallest
 * @param count how many, possibly none
 */
public record Tokens(long first, int count) {

  /** No tokens. */
  public static final Tokens NONE = new Tokens(0, 0);

  /** The greatest one, or {@code first - 1} when there are none. */
  public long last() {
    return first + count - 1;
  }

  /**
   * The first token of a new grant where the store has no revision of its own: above everything
   * this lock has handed out, above everything the client has seen, and, so that it rises even if
   * the store forgets, at least the store's clock.
   */
  public static long next(long lastOfLock, long storeMicros, long clientFloor) {
    return Math.max(Math.max(lastOfLock + 1, storeMicros), clientFloor + 1);
  }
}
