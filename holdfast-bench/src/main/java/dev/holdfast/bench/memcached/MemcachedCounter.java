package dev.holdfast.bench.memcached;

import dev.holdfast.bench.Framing;
import java.util.List;

/**
 * Counts commands of the text protocol: a line, and behind one that stores as many bytes as it
 * says.
 */
final class MemcachedCounter implements Framing.Counter {

  private static final int END_OF_DATA = 2; // a line break

  // Mutable state
  private final StringBuilder line = new StringBuilder();
  private long left;

  @Override
  public boolean endsRequest(byte next) {
    if (left > 0) {
      left--;
      return left == 0;
    }
    if (next != '\n') {
      line.append((char) next);
      return false;
    }
    List<String> words = List.of(line.toString().strip().split(" "));
    line.setLength(0);
    if (words.get(0).equals("ms")) {
      left = Long.parseLong(words.get(2)) + END_OF_DATA;
    }
    return left == 0;
  }
}
