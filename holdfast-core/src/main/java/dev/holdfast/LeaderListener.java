package dev.holdfast;

/**
 * What a candidate does when it leads. The calls for one candidacy come one after the other, never
 * two at a time: {@code elected}, then {@code ended}, and so on. Both should return soon: start the
 * work elsewhere, and stop it. We are elected once a second at most.
 *
 * <p>They run on the client's executor; while the client or the candidacy is being closed, on a
 * thread of the client's own if that executor does not get to it.
 */
public interface LeaderListener {

  /**
   * We lead from now on. Not called for a leadership that is over by then, or when the client has
   * been closed. If this throws, {@code ended} is called, the leadership is given back, and we
   * stand again.
   *
   * @param leadership closing it, or resigning, asks for its end as {@link Candidacy#resign} does,
   *     from any thread: {@code ended} is called, after this has returned, and then it is given
   *     back. So {@code ended} may wait for a thread that closes it.
   */
  void elected(Leadership leadership);

  /**
   * We lead no more: stop. After a loss this comes a margin before anybody else can be elected, if
   * {@code elected} has returned; when we resign or stand no more, the leadership is given back
   * only after this has returned. Closing the client waits for that too, at most for its operation
   * time-out (without a bound if the client's executor runs tasks on the calling thread): a
   * leadership whose {@code ended} still runs then is not given back but ends with its ttl, or with
   * the client's session where the store keeps claims by session. The same goes for a client that
   * this listener itself closes: its {@code ended} comes after that.
   */
  void ended(Leadership leadership);

  /** The store did not answer, or refused us; we stand again after a while. */
  default void failed(RuntimeException cause) {}
}
