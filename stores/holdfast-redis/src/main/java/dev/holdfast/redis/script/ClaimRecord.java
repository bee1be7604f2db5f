package dev.holdfast.redis.script;

import dev.holdfast.StoreException;
import dev.holdfast.spi.Claim;
import java.time.Duration;

/** A claim as it is sent and stored: {@code sent} in records.lua. */
public final class ClaimRecord {

  /** Scripts count in doubles, which are exact up to this number. */
  public static final long EXACT = 1L << 53;

  /** Above it is room for more tokens than a lock will need. */
  public static final long MAX_FLOOR = EXACT - (1L << 32);

  private ClaimRecord() {}

  /**
   * @return all of the claim except its id, as one text: each argument of a script costs the client
   *     and the server
   */
  public static String of(Claim claim, String channel) {
    StringBuilder text = new StringBuilder(256);
    number(text, micros(claim.ttl()), RecordLayout.TTL);
    number(text, micros(claim.waitingTtl()), RecordLayout.TTL);
    number(text, floor(claim), RecordLayout.NUMBER);
    if (claim.keepable()) {
      text.append('k');
    }
    text.append(claim.spares()).append(' ');
    text.append(claim.kind().name()).append(' ');
    text.append(claim.capacity()).append(' ').append(claim.weight()).append(' ');
    text.append(channel).append(' ').append(claim.owner().encode());
    if (claim.value() != null) {
      text.append(' ').append(claim.value());
    }
    return text.toString();
  }

  /**
   * @return the claim's floor
   * @throws StoreException if there is no room above it
   */
  public static long floor(Claim claim) {
    if (claim.floor() > MAX_FLOOR) {
      throw tooGreat(claim.lock(), claim.floor() + 1);
    }
    return claim.floor();
  }

  public static StoreException tooGreat(String lock, long token) {
    return new StoreException(
        lock,
        "cannot grant '%s' the token %d: Redis counts exactly only up to %d"
            .formatted(lock, token, EXACT));
  }

  // Of fixed width: scripts cut the numbers out by position.
  private static void number(StringBuilder text, long number, int width) {
    String digits = Long.toString(number);
    for (int i = digits.length(); i < width; i++) {
      text.append('0');
    }
    text.append(digits).append(' ');
  }

  /** {@return rounded up: a claim never ends early} */
  public static long micros(Duration duration) {
    return (duration.toNanos() + 999) / 1_000;
  }
}
