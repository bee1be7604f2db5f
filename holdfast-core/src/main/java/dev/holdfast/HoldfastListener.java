package dev.holdfast;

/**
 * Receives what happens to the locks of a client: one event at a time, those of one lock in the
 * order in which they happened, on a thread of the client's own. A listener that is slow delays
 * only the events behind it; once {@value #QUEUE} wait, further ones are dropped and counted
 * ({@link Holdfast#droppedEvents}). An exception that it throws affects nothing else, and is logged
 * once.
 */
@FunctionalInterface
public interface HoldfastListener {

  /** How many events wait for the listeners at most. */
  int QUEUE = 10_000;

  /** Something happened. */
  void happened(LockEvent event);
}
