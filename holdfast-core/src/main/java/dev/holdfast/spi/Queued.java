package dev.holdfast.spi;

/**
 * The claim waits.
 *
 * @param position how many claims are ahead of it
 * @param behindKeepable whether the only claim ahead is {@link Claim#keepable}: it may be idle, and
 *     its client learns that the lock is wanted
 */
public record Queued(int position, boolean behindKeepable) implements JoinAnswer, Standing {

  /** Behind claims that are in use. */
  public Queued(int position) {
    this(position, false);
  }
}
