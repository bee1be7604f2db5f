package dev.holdfast.register;

import dev.holdfast.ClaimInfo;
import dev.holdfast.Kind;
import dev.holdfast.Owner;
import dev.holdfast.UnreadableRecordException;
import dev.holdfast.spi.Claim;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The value that the register stores for a lock that is held: its one claim.
 *
 * @param lock the lock's name, because keys may be shortened
 * @param id of the claim
 * @param kind of the lock
 * @param owner of the claim
 * @param token 0 in the first write of a claim, because the version of that write makes the token;
 *     later writes store it here
 * @param given the number of spare tokens that the claim has been given
 * @param ttl of the last write
 * @param held how long the claim was held at the last write, by its holder's monotonic clock
 * @param left true if the claim has left and only lingers
 * @param value published by the holder
 */
record ClaimRecord(
    String lock,
    String id,
    Kind kind,
    Owner owner,
    long token,
    int given,
    Duration ttl,
    Duration held,
    boolean left,
    @Nullable String value) {

  private static final String FORMAT = "1";
  private static final int FIELDS = 11;
  private static final String NO_VALUE = "-";
  private static final Pattern SEPARATOR = Pattern.compile(" ");

  /**
   * @return the first record of a claim that takes this number of spare tokens
   */
  static ClaimRecord of(Claim claim, int given) {
    return new ClaimRecord(
        claim.lock(),
        claim.id(),
        claim.kind(),
        claim.owner(),
        0,
        given,
        claim.ttl(),
        Duration.ZERO,
        false,
        claim.value());
  }

  /**
   * @return the same with the token that its first version has made
   */
  ClaimRecord granted(long grantedToken) {
    return new ClaimRecord(lock, id, kind, owner, grantedToken, given, ttl, held, left, value);
  }

  /**
   * @return what a refresh writes
   */
  ClaimRecord refreshed(Claim claim, int nowGiven, Duration heldSoFar) {
    return new ClaimRecord(
        lock, id, kind, owner, token, nowGiven, claim.ttl(), heldSoFar, false, claim.value());
  }

  /**
   * @return what a leave writes for a claim that lingers
   */
  ClaimRecord lingering(Duration linger, Duration heldSoFar) {
    return new ClaimRecord(lock, id, kind, owner, token, given, linger, heldSoFar, true, value);
  }

  ClaimInfo info(Duration remaining) {
    Duration sinceWrite = ttl.minus(remaining);
    Duration age = sinceWrite.isNegative() ? held : held.plus(sinceWrite);
    return new ClaimInfo(owner, kind.mode(1), 1, token, token + given, age, remaining, value);
  }

  String encode() {
    return String.join(
        " ",
        FORMAT,
        escape(lock),
        escape(id),
        kind.name(),
        escape(owner.encode()),
        Long.toString(token),
        Integer.toString(given),
        Long.toString(ttl.toNanos()),
        Long.toString(held.toNanos()),
        left ? "left" : "held",
        value == null ? NO_VALUE : "=" + escape(value));
  }

  /**
   * Reads what {@link #encode} wrote.
   *
   * @param place where it is stored, for the message
   * @throws UnreadableRecordException if it was written by another version of Holdfast or by
   *     another program
   */
  static ClaimRecord parse(String lock, String place, String text) {
    String[] fields = SEPARATOR.split(text, -1);
    if (fields.length < 2 || !fields[0].equals(FORMAT)) {
      throw new UnreadableRecordException(
          lock, place, "it has a format that this version does not know");
    }
    try {
      if (fields.length != FIELDS || !unescape(fields[1]).equals(lock)) {
        throw new IllegalArgumentException("fields are missing, or it belongs to another lock");
      }
      return new ClaimRecord(
          lock,
          unescape(fields[2]),
          Kind.valueOf(fields[3]),
          Owner.parse(unescape(fields[4])),
          Long.parseLong(fields[5]),
          Integer.parseInt(fields[6]),
          Duration.ofNanos(Long.parseLong(fields[7])),
          Duration.ofNanos(Long.parseLong(fields[8])),
          fields[9].equals("left"),
          fields[10].equals(NO_VALUE) ? null : unescape(fields[10].substring(1)));
    } catch (IllegalArgumentException e) {
      // Without the cause, whose message would quote the record: it holds the claim's id.
      throw new UnreadableRecordException(lock, place, "it is not a record of Holdfast");
    }
  }

  static boolean isReadable(String lock, String text) {
    try {
      parse(lock, "", text);
      return true;
    } catch (UnreadableRecordException e) {
      return false;
    }
  }

  private static String escape(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static String unescape(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }

  /** Without the id, which is a secret. */
  @Override
  public String toString() {
    return "ClaimRecord[" + lock + ", " + kind + ", " + owner.describe() + ", " + token + "]";
  }
}
