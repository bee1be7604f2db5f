package dev.holdfast.spi;

/**
 * A run of consecutive tokens.
 *
 * @param first the smallest
 * @param count how many, possibly none
 */
public record Tokens(long first, int count) {

  /** The greatest token that is accepted anywhere. */
  public static final long MAX = 1L << 61;

  /** How many tokens a revision has beyond the claim's own, for hand-off. */
  public static final int SPARES_OF_REVISION = 1023;

  private static final long REVISIONS = 1L << 53;

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

  /**
   * The token of a claim that was created at this revision of the store. Neighbouring revisions are
   * 1024 apart, so that each claim has {@value #SPARES_OF_REVISION} tokens to pass on.
   *
   * @param revision the one at which the claim was created, never that of a later change
   * @throws IllegalArgumentException if it is not positive, or so great that tokens would overflow
   */
  public static long ofRevision(long revision) {
    if (revision <= 0 || revision >= REVISIONS) {
      throw new IllegalArgumentException(
          "revision " + revision + " cannot be made a token: it must lie between 0 and 2^53");
    }
    return revision * (SPARES_OF_REVISION + 1);
  }

  /**
   * The next spares of a claim whose token comes {@link #ofRevision from a revision}.
   *
   * @param given how many of them it has been given before
   * @param wanted how many more it asks for; it gets fewer, or none, where the revision has no more
   */
  public static Tokens sparesOfRevision(long token, int given, int wanted) {
    int count = Math.min(wanted, SPARES_OF_REVISION - given);
    return count <= 0 ? NONE : new Tokens(token + given + 1, count);
  }
}
