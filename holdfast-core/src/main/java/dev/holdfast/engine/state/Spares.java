package dev.holdfast.engine.state;

import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Tokens;

/** The tokens of a claim: that of the grant, and those reserved for hand-off. Not thread-safe. */
final class Spares {
  // Mutable state
  boolean used;
  long token;
  private long next;
  private long last = -1;

  void begin(Granted granted) {
    token = granted.token();
    if (granted.spares().count() > 0) {
      add(granted.spares());
    }
  }

  /**
   * Tokens from an answer; those already used may be among them and are passed over. Those that are
   * left of earlier answers are kept if nobody else can have been given one in between.
   */
  void add(Tokens more) {
    if (more.count() > 0 && more.last() > last) {
      next = more.first() <= last + 1 ? next : Math.max(more.first(), Math.max(next, token + 1));
      last = more.last();
    }
  }

  /** {@return whether any were reserved beside the token of the grant} */
  boolean reserved() {
    return last > token;
  }

  /** A token at or below the floor is not used any more. */
  boolean has(long floor) {
    if (!used && token > floor) {
      return true;
    }
    next = Math.max(next, floor + 1);
    return next <= last;
  }

  /** After {@link #has} with the same floor. */
  long take(long floor) {
    if (!used) {
      used = true;
      if (token > floor) {
        return token;
      }
    }
    return next++;
  }
}
