package dev.holdfast.bench.consul;

import dev.holdfast.bench.Framing;
import java.util.Locale;

/** Counts HTTP requests: a head up to an empty line, then as many bytes as it says. */
final class HttpCounter implements Framing.Counter {

  private static final String LENGTH = "content-length:";

  // Mutable state
  private final StringBuilder line = new StringBuilder();
  private long announced;
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
    String header = line.toString().strip().toLowerCase(Locale.ROOT);
    line.setLength(0);
    if (header.startsWith(LENGTH)) {
      announced = Long.parseLong(header.substring(LENGTH.length()).strip());
    }
    if (!header.isEmpty()) {
      return false;
    }
    left = announced;
    announced = 0;
    return left == 0;
  }
}
