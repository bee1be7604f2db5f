package dev.holdfast.redis;

import dev.holdfast.StoreException;
import dev.holdfast.spi.Claim;
import java.time.Duration;

/** A claim as the scripts read it: {@code sent} in queue.lua. */
final class ClaimArgs {

  private static final long EXACT = 1L << 53; // as far as a script's numbers count one by one

  private ClaimArgs() {}

  /** All of it but its id, as one text: each argument of a script costs both sides. */
  static String text(Claim claim, String channel) {
    if (claim.floor() >= EXACT - Integer.MAX_VALUE) {
      throw new StoreException(
          claim.lock(),
          "cannot grant '"
              + claim.lock()
              + "' a token above "
              + claim.floor()
              + ": Redis counts exactly only up to "
              + EXACT);
    }
    return micros(claim.ttl())
        + " "
        + claim.spares()
        + ' '
        + Math.max(0, claim.floor())
        + ' '
        + claim.kind().name()
        + ' '
        + claim.capacity()
        + ' '
        + claim.weight()
        + ' '
        + micros(claim.waitingTtl())
        + ' '
        + channel
        + ' '
        + claim.owner().encode()
        + (claim.value() == null ? "" : " " + claim.value());
  }

  /** Rounded up: a claim never ends early. */
  static long micros(Duration duration) {
    return duration.plusNanos(999).toNanos() / 1_000;
  }
}
