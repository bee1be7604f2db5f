package dev.holdfast;

/**
 * What a candidate does when it leads. The calls for one candidacy come one after the other, never
 * two at a time: {@code elected}, then {@code ended}, and so on. Both should return soon: start the
 * work elsewhere, and stop it.
 */
public interface LeaderListener {

  /** We lead from now on. */
  void elected(Leadership leadership);

  /**
   * We lead no more: stop. After a loss this comes a margin before anybody else can be elected, if
   * {@code elected} has returned; when we resign or the client is closed, the leadership is given
   * back only after this has returned.
   */
  void ended(Leadership leadership);

  /** The store did not answer, or refused us; we stand again after a while. */
  default void failed(RuntimeException cause) {}
}
