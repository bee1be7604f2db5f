package dev.holdfast.redis;

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
import java.util.Comparator;
import java.util.List;

/**
 * What a script answers for one claim or lock: a word and what belongs to it, as a list or as one
 * text with spaces between.
 *
 * @param parts all of them text but the claims of an inspection, which are lists of texts
 */
record Reply(List<?> parts) {

  static Reply of(Object answer) {
    return new Reply(answer instanceof String text ? List.of(text.split(" ")) : (List<?>) answer);
  }

  String word() {
    return text(0);
  }

  /** Why the script could do nothing about this lock; Redis 6 puts the place before it. */
  String error() {
    return text(1).strip();
  }

  JoinAnswer joined() {
    return switch (word()) {
      case "granted" -> granted();
      case "queued" -> new Queued(Integer.parseInt(text(1)));
      case "busy" -> new Busy(text(1).isEmpty() ? null : Owner.parse(text(1)));
      case "mismatch" -> new Mismatch(Kind.valueOf(text(1)), Integer.parseInt(text(2)));
      default -> throw strange();
    };
  }

  Standing standing() {
    return switch (word()) {
      case "granted" -> granted();
      case "queued" -> new Queued(Integer.parseInt(text(1)));
      case "gone" -> Gone.GONE;
      default -> throw strange();
    };
  }

  /** To a claim that is queued: how long whoever it waits for lives at least. */
  Duration watchedLives() {
    return micros(text(2));
  }

  Left left() {
    return switch (word()) {
      case "left" -> Left.LEFT;
      case "gone" -> Left.GONE;
      default -> throw strange();
    };
  }

  /** Of a record that may have to be removed: what tells it from any other. */
  String stored() {
    return text(1);
  }

  LockInfo info(String name) {
    List<Row> rows = new ArrayList<>();
    for (Object part : parts.subList(3, parts.size())) {
      rows.add(new Row((List<?>) part));
    }
    if (rows.isEmpty()) {
      return LockInfo.free(name);
    }
    Kind kind = Kind.valueOf(text(1));
    rows.sort(Comparator.comparingLong(Row::place).thenComparingLong(Row::token));
    List<ClaimInfo> holders = new ArrayList<>();
    List<ClaimInfo> waiters = new ArrayList<>();
    rows.forEach(row -> (row.token() > 0 ? holders : waiters).add(row.info(kind)));
    return new LockInfo(name, kind, Integer.parseInt(text(2)), holders, waiters);
  }

  private Granted granted() {
    int spares = parts.size() == 2 ? 0 : Integer.parseInt(text(3));
    return new Granted(
        Long.parseLong(text(1)),
        spares == 0 ? Tokens.NONE : new Tokens(Long.parseLong(text(2)), spares));
  }

  private String text(int index) {
    return (String) parts.get(index);
  }

  private IllegalStateException strange() {
    return new IllegalStateException("a script gave the strange answer " + word());
  }

  private static Duration micros(String text) {
    return Duration.ofNanos(Long.parseLong(text) * 1_000);
  }

  /** One claim of an inspection. Holders have place 0 and were let in in the order of tokens. */
  private record Row(List<?> parts) {

    long place() {
      return Long.parseLong(text(0));
    }

    long token() {
      return Long.parseLong(text(1));
    }

    ClaimInfo info(Kind kind) {
      int weight = Integer.parseInt(text(2));
      String value = text(6);
      return new ClaimInfo(
          Owner.parse(text(5)),
          kind.mode(weight),
          weight,
          token(),
          Long.parseLong(text(7)),
          micros(text(3)),
          micros(text(4)),
          value.isEmpty() ? null : value.substring(1));
    }

    private String text(int index) {
      return (String) parts.get(index);
    }
  }
}
