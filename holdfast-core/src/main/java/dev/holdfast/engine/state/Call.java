package dev.holdfast.engine.state;

import dev.holdfast.spi.Claim;

/** A join or a refresh as it was sent. Immutable. */
public final class Call {

  /** Whose claim it is about. */
  public final Tenure tenure;

  /** The claim as it was sent to the store. */
  public final Claim claim;

  /** Before it was sent: the store's ttl starts no earlier. */
  public final Moment sent;

  /** True if a join may wait in the queue. */
  public final boolean waits;

  final int room; // how often room had been made by then

  Call(Tenure tenure, Claim claim, boolean waits, Moment sent, int room) {
    this.tenure = tenure;
    this.claim = claim;
    this.waits = waits;
    this.sent = sent;
    this.room = room;
  }
}
