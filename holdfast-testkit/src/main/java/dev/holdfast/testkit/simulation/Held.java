package dev.holdfast.testkit.simulation;

import dev.holdfast.Lease;
import dev.holdfast.testkit.promise.History.Attempt;
import dev.holdfast.testkit.promise.What;

/** A lease that a caller has not given back. Not thread-safe. */
final class Held {

  final ClientProcess client;
  final String lock;
  final Attempt attempt;
  final Lease lease;

  // Mutable state
  private boolean over;
  private boolean told;

  Held(ClientProcess client, String lock, Attempt attempt, Lease lease) {
    this.client = client;
    this.lock = lock;
    this.attempt = attempt;
    this.lease = lease;
  }

  boolean isOver() {
    return over;
  }

  /** Records it when the lease has stopped to call itself valid. */
  void look() {
    if (!over && !lease.isValid()) {
      over = true;
      attempt.is(What.OVER);
    }
  }

  void lost() {
    if (!told) {
      told = true;
      over = true;
      attempt.is(What.LOST);
    }
  }
}
