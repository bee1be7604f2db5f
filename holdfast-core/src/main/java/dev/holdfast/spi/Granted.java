package dev.holdfast.spi;

/**
 * The claim is let in.
 *
 * @param token the claim's fencing token, the same in every answer for this claim; greater than
 *     those of all earlier grants of the lock
 * @param spares further tokens that this call reserved for the claim, to be passed on within the
 *     client; may repeat those of an earlier answer for the same claim, never those of another
 */
public record Granted(long token, Tokens spares) implements JoinAnswer, Standing {

  /** Refuses tokens that there are not. */
  public Granted {
    Tokens.check(token);
    if (spares.count() > 0) {
      Tokens.check(spares.first());
      Tokens.check(spares.last());
    }
  }

  /** A grant without spares. */
  public Granted(long token) {
    this(token, Tokens.NONE);
  }
}
