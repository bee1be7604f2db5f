package dev.holdfast.engine;

import java.util.concurrent.atomic.AtomicLong;

/** What new tokens must be greater than. Any threads. */
final class Floor {

  private final AtomicLong seen = new AtomicLong();
  private final AtomicLong demanded = new AtomicLong();

  /** The highest token this client has seen on this store, or has been told of. */
  long seen() {
    return seen.get();
  }

  /**
   * What the caller has asked for: tokens that were reserved before must not be below it either.
   */
  long demanded() {
    return demanded.get();
  }

  void see(long token) {
    if (seen.get() < token) {
      seen.accumulateAndGet(token, Math::max);
    }
  }

  void demand(long token) {
    demanded.accumulateAndGet(token, Math::max);
    see(token);
  }
}
