package dev.holdfast;

/** Hears who leads. One call at a time, on the client's executor. */
@FunctionalInterface
public interface LeaderObserver {

  /**
   * Somebody leads. Tokens never fall; the same token comes again with another value, or after
   * nobody was seen to lead or the store was silent.
   */
  void leads(Leader leader);

  /** Nobody leads: at first, or since the last call. */
  default void nobodyLeads() {}

  /** The store does not answer any more, so nobody knows who leads; told once until it does. */
  default void storeSilent(StoreException cause) {}
}
