package dev.holdfast;

/** Stands for election until it is closed, again after each leadership. Thread-safe. */
public interface Candidacy extends AutoCloseable {

  /** {@return whether we lead at this moment; sends no request} */
  boolean isLeading();

  /**
   * Asks for the end of the leadership, if this candidate has it, and returns. The listener is
   * called; then the leadership is released, and when the store has answered the candidate stands
   * again, behind the waiting ones, no sooner than a second after it was elected.
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
