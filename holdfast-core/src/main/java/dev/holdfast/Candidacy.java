package dev.holdfast;

/** Stands for election until it is closed, and stands again after each leadership. Any threads. */
public interface Candidacy extends AutoCloseable {

  /** Whether we lead at this moment. No request is sent. */
  boolean isLeading();

  /** Gives the leadership back, if we have it, and stands again, behind those who wait. */
  void resign();

  /**
   * Gives up: tells the listener that the leadership has ended, if we lead, and gives it back.
   * Waits until that is done, at most for the client's operation time-out; not when the listener
   * itself calls it. What is not done by then is done when the listener has returned.
   */
  @Override
  void close();
}
