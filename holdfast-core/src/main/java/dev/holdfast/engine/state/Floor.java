package dev.holdfast.engine.state;

import java.util.concurrent.atomic.AtomicLong;

/** What new tokens of a client must be greater than. Thread-safe. */
public final class Floor {

  private final AtomicLong seen = new AtomicLong();
  private final AtomicLong demanded = new AtomicLong();

  /** The highest token this client was granted by its store, or was told of. */
  public long seen() {
    return seen.get();
  }

  /** The highest token the caller has raised the floor to: no token up to it is used any more. */
  public long demanded() {
    return demanded.get();
  }

  void see(long token) {
    if (seen.get() < token) {
      seen.accumulateAndGet(token, Math::max);
    }
  }

  /** Raises the floor. */
  public void demand(long token) {
    demanded.accumulateAndGet(token, Math::max);
    see(token);
  }
}
