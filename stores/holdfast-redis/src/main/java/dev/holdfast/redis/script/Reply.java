package dev.holdfast.redis.script;

import dev.holdfast.ClaimInfo;
import dev.holdfast.Kind;
import dev.holdfast.LockInfo;
import dev.holdfast.Owner;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.Mismatch;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Tokens;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * A script's reply about one claim or lock: a word and what belongs to it, as a list or as one text
 * with blanks in between.
 *
 * @param parts texts, except for the claims of an inspection, which are lists of texts
 */
public record Reply(List<?> parts) {

  public static Reply of(Object answer) {
    return new Reply(
        answer instanceof String text ? Arrays.asList(text.split(" ")) : (List<?>) answer);
  }

  /** {@return the replies of one script, one for each lock} */
  public static List<Reply> all(List<Object> answers) {
    return answers.size() == 1
        ? List.of(of(answers.get(0))) // the usual case, without a stream
        : answers.stream().map(Reply::of).toList();
  }

  public String word() {
    return text(0);
  }

  public String text(int index) {
    return (String) parts.get(index);
  }

  public long number(int index) {
    return Long.parseLong(text(index));
  }

  /** {@return a time span that the script sent in microseconds} */
  public Duration micros(int index) {
    return Duration.ofNanos(number(index) * 1_000);
  }

  /** {@return why the script failed on this lock; Redis 6 puts the script's line in front} */
  public String error() {
    return text(1).strip();
  }

  /** {@return whether that error is about what is stored: a part is missing, or is not a number} */
  public boolean isUnreadable() {
    String error = error();
    return isOfOtherType() || error.contains("RECORD") || error.contains("attempt to ");
  }

  public boolean isOfOtherType() {
    return error().contains("WRONGTYPE");
  }

  public JoinAnswer joined() {
    return switch (word()) {
      case "granted" -> granted();
      case "queued" -> queued();
      case "busy" -> new Busy(text(1).isEmpty() ? null : Owner.parse(text(1)));
      case "mismatch" -> new Mismatch(Kind.valueOf(text(1)), Integer.parseInt(text(2)));
      default -> throw unexpected();
    };
  }

  public Standing standing() {
    return switch (word()) {
      case "granted" -> granted();
      case "queued" -> queued();
      case "gone" -> Gone.GONE;
      default -> throw unexpected();
    };
  }

  /** {@return for a queued claim: how long the claim that it waits for lives at least} */
  public Duration blockerLives() {
    return micros(2);
  }

  public Left left() {
    return switch (word()) {
      case "left" -> Left.LEFT;
      case "gone" -> Left.GONE;
      default -> throw unexpected();
    };
  }

  /** {@return a digest of the record that may have to be discarded} */
  public String stored() {
    return text(1);
  }

  public LockInfo info(String name) {
    List<Reply> claims = new ArrayList<>();
    for (Object part : parts.subList(3, parts.size())) {
      claims.add(new Reply((List<?>) part));
    }
    if (claims.isEmpty()) {
      return LockInfo.free(name);
    }
    Kind kind = Kind.valueOf(text(1));
    // Holders have position 0 and were granted in the order of their tokens.
    claims.sort(Comparator.comparingLong(Reply::position).thenComparingLong(Reply::token));
    List<ClaimInfo> holders = new ArrayList<>();
    List<ClaimInfo> waiters = new ArrayList<>();
    claims.forEach(claim -> (claim.token() > 0 ? holders : waiters).add(claim.info(kind)));
    return new LockInfo(name, kind, Integer.parseInt(text(2)), holders, waiters);
  }

  private Granted granted() {
    int spares = parts.size() == 2 ? 0 : Integer.parseInt(text(3));
    return new Granted(
        Long.parseLong(text(1)),
        spares == 0 ? Tokens.NONE : new Tokens(Long.parseLong(text(2)), spares),
        flag(4));
  }

  private Queued queued() {
    return new Queued(Integer.parseInt(text(1)), flag(3));
  }

  // The fast paths reply with less: no claim is keepable there.
  private boolean flag(int index) {
    return parts.size() > index && text(index).equals("1");
  }

  private IllegalStateException unexpected() {
    return new IllegalStateException("unexpected reply from a script: " + word());
  }

  // ---------------------------------------------------------------- one claim of an inspection

  private long position() {
    return number(0);
  }

  private long token() {
    return number(1);
  }

  private ClaimInfo info(Kind kind) {
    int weight = Integer.parseInt(text(2));
    String value = text(6);
    return new ClaimInfo(
        Owner.parse(text(5)),
        kind.mode(weight),
        weight,
        token(),
        number(7),
        micros(3),
        micros(4),
        text(8).equals("k"),
        value.isEmpty() ? null : value.substring(1));
  }
}
