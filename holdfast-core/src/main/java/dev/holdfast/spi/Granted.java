package dev.holdfast.spi;

import dev.holdfast.Proof;

/**
 * The claim is granted.
 *
 * @param token the claim's fencing token, the same in every answer for this claim; greater than
 *     those of all earlier grants of the lock
 * @param spares further tokens that this call reserved for the claim, to be passed on within the
 *     client; may repeat those of an earlier answer for the same claim, never those of another
 * @param wanted another claim waits behind it. Said of claims that are {@link Claim#keepable}, or
 *     were until this answer; of others it may be left out
 */
public record Granted(long token, Tokens spares, boolean wanted) implements JoinAnswer, Standing {

  /** Refuses tokens that there are not. */
  public Granted {
    Proof.checkToken(token);
    if (spares.count() > 0) {
      Proof.checkToken(spares.first());
      Proof.checkToken(spares.last());
    }
  }

  /** A grant that no other claim is known to want. */
  public Granted(long token, Tokens spares) {
    this(token, spares, false);
  }

  /** A grant without spares. */
  public Granted(long token) {
    this(token, Tokens.NONE);
  }
}
