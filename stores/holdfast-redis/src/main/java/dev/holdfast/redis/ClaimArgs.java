package dev.holdfast.redis;

import dev.holdfast.StoreException;
import dev.holdfast.spi.Claim;
import java.time.Duration;

/** A claim as the scripts read it: {@code sent} in records.lua. */
final class ClaimArgs {

  /** As far as a script's numbers count one by one. */
  static final long EXACT = 1L << 53;

  /** Above it is room for more tokens than a lock will need. */
  static final long MAX_FLOOR = EXACT - (1L << 32);

  private ClaimArgs() {}

  /** All of it but its id, as one text: each argument of a script costs both sides. */
  static String text(Claim claim, String channel) {
    StringBuilder text = new StringBuilder(256);
    digits(text, micros(claim.ttl()), 14);
    digits(text, micros(claim.waitingTtl()), 14);
    digits(text, floor(claim), 16);
    text.append(claim.spares())
        .append(' ')
        .append(claim.kind().name())
        .append(' ')
        .append(claim.capacity())
        .append(' ')
        .append(claim.weight())
        .append(' ')
        .append(channel)
        .append(' ')
        .append(claim.owner().encode());
    if (claim.value() != null) {
      text.append(' ').append(claim.value());
    }
    return text.toString();
  }

  /** The claim's floor, if there is room above it. */
  static long floor(Claim claim) {
    if (claim.floor() > MAX_FLOOR) {
      throw new StoreException(
          claim.lock(),
          "cannot grant '"
              + claim.lock()
              + "' a token above "
              + claim.floor()
              + ": Redis counts exactly only up to "
              + EXACT);
    }
    return claim.floor();
  }

  /** As many digits as the longest ttl and the greatest token have: scripts cut them out. */
  private static void digits(StringBuilder text, long number, int width) {
    String digits = Long.toString(number);
    for (int i = digits.length(); i < width; i++) {
      text.append('0');
    }
    text.append(digits).append(' ');
  }

  /** Rounded up: a claim never ends early. */
  static long micros(Duration duration) {
    return duration.plusNanos(999).toNanos() / 1_000;
  }
}
