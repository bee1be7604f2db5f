package dev.holdfast.testkit.promise;

import org.jspecify.annotations.Nullable;

/**
 * One line of a {@link History}.
 *
 * @param at when, in nanoseconds, by one monotonic clock for all
 * @param who the client, a slash, and its thread or caller; the client alone for what befalls it
 * @param what what was observed
 * @param construct as what the lock is used
 * @param lock which lock; empty where none is concerned
 * @param attempt the number of the attempt, unique for its client; 0 where none is concerned
 * @param token the fencing token; 0 where there is none
 * @param until until when the lease calls itself valid, by the clock of {@code at}; {@link
 *     #UNTIL_TOLD} if it goes on until another observation says otherwise
 * @param request what was asked for; null but for {@link What#ASKED} and {@link What#EXTENDED}
 * @param text more, for people
 */
public record Observation(
    long at,
    String who,
    What what,
    Construct construct,
    String lock,
    long attempt,
    long token,
    long until,
    @Nullable Request request,
    String text) {

  /** No end is known. */
  public static final long UNTIL_TOLD = Long.MAX_VALUE;

  private static final int COLUMNS = 10;

  /** {@return the client, without its thread} */
  public String client() {
    int slash = who.indexOf('/');
    return slash < 0 ? who : who.substring(0, slash);
  }

  /** {@return whether a lease was over when its caller got it} */
  public boolean isTooLate() {
    return until <= at;
  }

  /** {@return one line, its columns separated by tabs; {@link #parse} reads it} */
  public String line() {
    return String.join(
        "\t",
        Long.toString(at),
        escape(who),
        what.name(),
        construct.name(),
        escape(lock),
        Long.toString(attempt),
        Long.toString(token),
        until == UNTIL_TOLD ? "-" : Long.toString(until),
        request == null ? "-" : request.line(),
        escape(text));
  }

  /** Reads what {@link #line} has written. */
  public static Observation parse(String line) {
    String[] column = line.split("\t", -1);
    if (column.length != COLUMNS) {
      throw new IllegalArgumentException("not a line of a history: " + line);
    }
    return new Observation(
        Long.parseLong(column[0]),
        unescape(column[1]),
        What.valueOf(column[2]),
        Construct.valueOf(column[3]),
        unescape(column[4]),
        Long.parseLong(column[5]),
        Long.parseLong(column[6]),
        column[7].equals("-") ? UNTIL_TOLD : Long.parseLong(column[7]),
        column[8].equals("-") ? null : Request.parse(column[8]),
        unescape(column[9]));
  }

  private static String escape(String text) {
    return text.replace("\\", "\\\\")
        .replace("\t", "\\t")
        .replace("\n", "\\n")
        .replace("\r", "\\r");
  }

  private static String unescape(String text) {
    if (text.indexOf('\\') < 0) {
      return text;
    }
    StringBuilder plain = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\\' && i + 1 < text.length()) {
        char next = text.charAt(++i);
        c =
            switch (next) {
              case 't' -> '\t';
              case 'n' -> '\n';
              case 'r' -> '\r';
              default -> next;
            };
      }
      plain.append(c);
    }
    return plain.toString();
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("%12.6f s  %-11s %-10s".formatted(at / 1e9, who, what));
    if (!lock.isEmpty()) {
      text.append(" '").append(lock).append('\'');
    }
    if (attempt != 0) {
      text.append(" #").append(attempt);
    }
    if (construct != Construct.NONE) {
      text.append(' ').append(construct);
    }
    if (token != 0) {
      text.append(" token ").append(token);
    }
    if (until != UNTIL_TOLD) {
      text.append(" until %.6f s".formatted(until / 1e9));
    }
    if (request != null) {
      text.append(' ').append(request);
    }
    return this.text.isEmpty() ? text.toString() : text + ": " + this.text;
  }
}
