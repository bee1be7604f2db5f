package dev.holdfast.bench.consul;

import dev.holdfast.bench.store.LineCounter;
import java.util.Locale;

/** Counts HTTP requests: a head up to an empty line, then as many bytes as it says. */
final class HttpCounter extends LineCounter {

  private static final String LENGTH = "content-length:";

  // Mutable state
  private long announced;

  @Override
  protected long rest(String text) {
    String header = text.toLowerCase(Locale.ROOT);
    if (header.startsWith(LENGTH)) {
      announced = Long.parseLong(header.substring(LENGTH.length()).strip());
    }
    if (!header.isEmpty()) {
      return MORE;
    }
    long body = announced;
    announced = 0;
    return body;
  }
}
