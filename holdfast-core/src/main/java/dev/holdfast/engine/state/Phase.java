package dev.holdfast.engine.state;

/** Where a claim stands. */
public enum Phase {
  /** The join is on its way. */
  JOINING,
  /** It waits in the store's queue. */
  QUEUED,
  /** The store cannot queue; the join is repeated after a while. */
  RETRYING,
  /** The store has granted it. */
  GRANTED,
  /** It is over on our side: left, lost, refused or detached. */
  ENDED
}
