package dev.holdfast;

/** Stands for election until it is closed, and stands again after each leadership. Any threads. */
public interface Candidacy extends AutoCloseable {

  /** Whether we lead at this moment. No request is sent. */
  boolean isLeading();

  /**
   * Asks for the end of the leadership, if we have it, and returns. The listener is told; then the
   * leadership is given back, and when the store has answered we stand again, behind those who
   * wait, no sooner than a second after we were elected.
   */
  void resign();

  /**
   * Gives up: tells the listener that the leadership has ended, if we lead, and gives it back.
   * Waits until that is done, at most for the client's operation time-out; not when the listener
   * itself calls it. What is not done by then is done when the listener has returned. A thread that
   * the listener waits for should not call it: both would wait for that time-out.
   */
  @Override
  void close();
}
