package dev.holdfast;

/**
 * What a candidate does when it leads. The calls for one candidacy come one after the other, never
 * two at a time: {@code elected}, then {@code ended}, and so on. Both should return soon: start the
 * work elsewhere, and stop it.
 *
 * <p>They run on the client's executor; while the client or the candidacy is being closed, on a
 * thread of the client's own if that executor does not get to it.
 */
public interface LeaderListener {

  /**
   * We lead from now on. If this throws, {@code ended} is called, the leadership is given back, and
   * we stand again after a second.
   *
   * @param leadership closing it, or resigning, is to give the leadership back as {@link
   *     Candidacy#resign} does. Called by the listener itself it takes effect once the listener has
   *     returned, and we stand again after a second.
   */
  void elected(Leadership leadership);

  /**
   * We lead no more: stop. After a loss this comes a margin before anybody else can be elected, if
   * {@code elected} has returned; when we resign or stand no more, the leadership is given back
   * only after this has returned. Closing the client waits for that too, at most for its operation
   * time-out: a leadership whose {@code ended} still runs then is not given back but ends with its
   * ttl, or with the client's session where the store keeps claims by session.
   */
  void ended(Leadership leadership);

  /** The store did not answer, or refused us; we stand again after a while. */
  default void failed(RuntimeException cause) {}
}
