package dev.holdfast.engine.state;

import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Tokens;

/** The tokens of a claim: that of the grant, and those reserved for hand-off. Not thread-safe. */
final class Spares {
  // Mutable state
  boolean used;
  int passes;
  long token;
  private long next;
  private long last = -1;

  void begin(Granted granted) {
    token = granted.token();
    if (granted.spares().count() > 0) {
      add(granted.spares());
    }
  }

  /** Tokens from an answer; those already used may be among them and are passed over. */
  void add(Tokens more) {
    if (more.count() > 0 && more.last() > last) {
      next = Math.max(more.first(), Math.max(next, token + 1));
      last = more.last();
    }
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
    if (used) {
      passes++;
    } else {
      used = true;
      if (token > floor) {
        return token;
      }
    }
    return next++;
  }
}
