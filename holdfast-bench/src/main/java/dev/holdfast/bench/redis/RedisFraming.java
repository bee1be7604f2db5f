package dev.holdfast.bench.redis;

import dev.holdfast.bench.store.Framing;

/** Redis's protocol: a command is an array of strings, each with its length in front. */
final class RedisFraming implements Framing {

  @Override
  public Counter counter() {
    return new Commands();
  }

  private static final class Commands implements Counter {

    // Mutable state
    private char kind;
    private long number;
    private long words;
    private long bytes;

    @Override
    public boolean endsRequest(byte next) {
      if (bytes > 0) {
        bytes--;
        return bytes == 0 && --words == 0;
      }
      if (next == '*' || next == '$') {
        kind = (char) next;
        number = 0;
      } else if (next >= '0' && next <= '9') {
        number = 10 * number + (next - '0');
      } else if (next == '\n') {
        return endOfLength();
      }
      return false;
    }

    private boolean endOfLength() {
      if (kind == '*') {
        words = number;
      } else {
        bytes = number + 2; // and the end of the line
      }
      return false;
    }
  }
}
