package dev.holdfast.cli.output;

import java.time.Duration;
import java.time.format.DateTimeParseException;

/** Parses durations ({@code 500ms 30s 2m 1h30m 1d} or ISO) and formats them for people. */
public final class Durations {

  private static final Duration LONGEST = Duration.ofDays(3650);
  private static final String RIGHT =
      "; write a number and a unit, such as 500ms, 30s, 2m, 1h or 1d";

  private Durations() {}

  /**
   * Reads the value of an option.
   *
   * @throws CliException naming the option, the value and the correct form
   */
  public static Duration parse(String option, String text) {
    if (text.startsWith("-")) {
      throw wrong(option, text, "is negative" + RIGHT);
    }
    Duration value =
        text.startsWith("P") || text.startsWith("p") ? iso(option, text) : units(option, text);
    if (value.isNegative()) {
      throw wrong(option, text, "is negative" + RIGHT);
    }
    if (value.compareTo(LONGEST) > 0) {
      throw wrong(option, text, "is too long; at most " + LONGEST.toDays() + "d");
    }
    return value;
  }

  /** As {@link #parse}; less than a second is refused too. */
  public static Duration parseSeconds(String option, String text) {
    Duration value = parse(option, text);
    if (value.toSeconds() < 1) {
      throw wrong(option, text, "is too short; at least 1s");
    }
    return value;
  }

  /** For a message: {@code 250 ms}, {@code 31 s}, {@code 5 min}, {@code 3 h}, {@code 4 d}. */
  public static String format(Duration value) {
    long seconds = value.toSeconds();
    if (seconds < 1) {
      return value.toMillis() + " ms";
    }
    if (seconds < 120) {
      return seconds + " s";
    }
    if (seconds < 120 * 60) {
      return seconds / 60 + " min";
    }
    return seconds < 48 * 3600 ? seconds / 3600 + " h" : seconds / (24 * 3600) + " d";
  }

  private static Duration iso(String option, String text) {
    try {
      return Duration.parse(text);
    } catch (DateTimeParseException e) {
      throw wrong(option, text, "is not a duration" + RIGHT);
    }
  }

  private static Duration units(String option, String text) {
    Duration sum = Duration.ZERO;
    if (text.equals("0")) {
      return sum; // needs no unit
    }
    int at = 0;
    while (at < text.length()) {
      int end = digits(text, at);
      if (end == at) {
        throw wrong(option, text, "is not a duration" + RIGHT);
      }
      if (end == text.length()) {
        throw wrong(option, text, "has no unit" + RIGHT);
      }
      if (end - at > 12) {
        throw wrong(option, text, "is too long; at most " + LONGEST.toDays() + "d");
      }
      long amount = Long.parseLong(text, at, end, 10);
      at = end;
      while (end < text.length() && !isDigit(text.charAt(end))) {
        end++;
      }
      sum = sum.plus(unit(option, text, text.substring(at, end)).multipliedBy(amount));
      at = end;
    }
    if (text.isEmpty()) {
      throw wrong(option, text, "is not a duration" + RIGHT);
    }
    return sum;
  }

  private static Duration unit(String option, String text, String unit) {
    return switch (unit) {
      case "ms" -> Duration.ofMillis(1);
      case "s" -> Duration.ofSeconds(1);
      case "m" -> Duration.ofMinutes(1);
      case "h" -> Duration.ofHours(1);
      case "d" -> Duration.ofDays(1);
      default -> throw wrong(option, text, "has the unknown unit '" + unit + "'" + RIGHT);
    };
  }

  private static int digits(String text, int from) {
    int end = from;
    while (end < text.length() && isDigit(text.charAt(end))) {
      end++;
    }
    return end;
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static CliException wrong(String option, String text, String what) {
    return CliException.usage(option + " '" + text + "' " + what);
  }
}
