package dev.holdfast.redis;

import dev.holdfast.StoreException;
import dev.holdfast.spi.Claim;
import java.time.Duration;
import java.util.List;

/** A claim as the scripts read it: {@code asked} in queue.lua. */
final class ClaimArgs {

  private static final long EXACT = 1L << 53; // as far as a script's numbers count one by one

  private ClaimArgs() {}

  static void add(List<String> args, Claim claim, String channel) {
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
    args.add(claim.id());
    args.add(claim.kind().name());
    args.add(Integer.toString(claim.capacity()));
    args.add(Integer.toString(claim.weight()));
    args.add(micros(claim.ttl()));
    args.add(micros(claim.waitingTtl()));
    args.add(Long.toString(Math.max(0, claim.floor())));
    args.add(Integer.toString(claim.spares()));
    args.add(channel);
    args.add(claim.owner().encode());
    args.add(claim.value() == null ? "" : " " + claim.value());
  }

  /** Rounded up: a claim never ends early. */
  static String micros(Duration duration) {
    return Long.toString(duration.plusNanos(999).toNanos() / 1_000);
  }
}
