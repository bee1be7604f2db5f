package dev.holdfast.spi;

import dev.holdfast.Proof;
import dev.holdfast.StoreException;

/**
 * A run of consecutive tokens.
 *
 * @param first the smallest
 * @param count how many, possibly none
 */
public record Tokens(long first, int count) {

  /** The greatest token that is accepted anywhere; sums of a few tokens do not overflow. */
  public static final long MAX = Proof.MAX_TOKEN;

  /** How many tokens a revision has beyond the claim's own, for hand-off. */
  public static final int SPARES_OF_REVISION = 1023;

  /** The greatest floor that there is; above it is room for more tokens than a lock will need. */
  public static final long MAX_FLOOR = MAX - (1L << 32);

  /**
   * How far spares may run ahead of the clock of a store that makes tokens from it: beyond that it
   * gives none, and a client has to ask for each grant.
   */
  public static final long AHEAD_MICROS = 60_000_000;

  private static final long REVISIONS = MAX / (SPARES_OF_REVISION + 1);

  /** No tokens. */
  public static final Tokens NONE = new Tokens(0, 0);

  /** The greatest one, or {@code first - 1} when there are none. */
  public long last() {
    return first + count - 1;
  }

  /**
   * The first token of a new grant where the store has no revisions: above everything this lock has
   * handed out, above everything the client has seen, and, so that it rises even if the store
   * forgets, at least the store's clock.
   */
  public static long next(String lock, long lastOfLock, long storeMicros, long clientFloor) {
    return reserve(lock, lastOfLock, Math.max(storeMicros - 1, clientFloor), 1).first();
  }

  /**
   * The next tokens of a lock: above everything it has handed out, and above this floor.
   *
   * @throws StoreException if what the lock has handed out leaves no room, as its record says
   */
  public static Tokens reserve(String lock, long lastOfLock, long floor, int count) {
    if (lastOfLock < 0 || lastOfLock > MAX - count || floor > MAX - count) {
      throw new StoreException(
          lock,
          ("The record of '%s' says that its last token was %d, and tokens end at %d: it was damaged,"
                  + " or a floor was forced. Once nobody holds the lock, remove its record"
                  + " (holdfast break --force) and reset its fences.")
              .formatted(lock, lastOfLock, MAX));
    }
    return new Tokens(Math.max(lastOfLock, floor) + 1, count);
  }

  /**
   * What a lock's record is to give as its last token after a claim has brought this floor. One
   * that the clock has passed needs no note, because later tokens are no smaller than the clock;
   * any other holds for the claims of all clients from now on.
   */
  public static long noted(long lastOfLock, long storeMicros, long clientFloor) {
    return clientFloor > storeMicros ? Math.max(lastOfLock, clientFloor) : lastOfLock;
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
          "revision " + revision + " cannot be made a token: it must lie between 0 and 2^51");
    }
    return revision * (SPARES_OF_REVISION + 1);
  }

  /** The greatest token of a claim whose token comes {@link #ofRevision from a revision}. */
  public static long lastOfRevision(long token) {
    return token + SPARES_OF_REVISION;
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
