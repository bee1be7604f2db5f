package dev.holdfast;

/**
 * Makes text that others wrote fit to be shown. A label, a host name or a value in a store was
 * written by another client, which need not be one of ours: it may be a megabyte long, drive the
 * reader's terminal, begin its own line in a log, or read in another order than it is written.
 *
 * <p>There are two steps. What is <b>read</b> is bounded, by {@link #shorten}: {@code Owner},
 * {@code ClaimInfo} and {@code LockInfo} do that for every store. What is <b>shown</b> is escaped,
 * by {@link #escape} in text for people and by {@link #json} in JSON, which keeps it exact.
 *
 * <p>Escaped are control characters (C0, DEL, C1), line and paragraph separators, all format
 * characters of Unicode (marks and overrides of direction, zero-width characters, tags), and halves
 * of surrogate pairs. Letters of any script, combining marks and emoji stay as they are.
 * Thread-safe.
 */
public final class PrintableText {

  /** The longest label, host, thread name or client id, in characters (code points). */
  public static final int LONGEST_LABEL = 128;

  /** The longest message that quotes others, in characters. */
  public static final int LONGEST_MESSAGE = 4096;

  private static final String HEX = "0123456789abcdef";

  private PrintableText() {}

  /** The text with an escape in place of each character that does not show as itself. */
  public static String escape(String text) {
    int plain = plainLength(text);
    return plain == text.length() ? text : escaped(text, plain, /* json= */ false);
  }

  /** As a lock's name is quoted in messages: escaped, between apostrophes. */
  public static String quote(String text) {
    return "'" + escape(text) + "'";
  }

  /** A message that quotes others: one line of bounded length. */
  public static String message(String text) {
    return escape(shorten(text, LONGEST_MESSAGE));
  }

  /** A JSON string, with its quotation marks, that a parser reads back as exactly this text. */
  public static String json(String text) {
    return '"' + escaped(text, 0, /* json= */ true) + '"';
  }

  /**
   * The text, or as much of it as fits, with an ellipsis as its last character.
   *
   * @param most how many characters (code points) are kept
   */
  public static String shorten(String text, int most) {
    // The first test is enough for nearly all text, and reads none of it.
    if (text.length() <= most || text.codePointCount(0, text.length()) <= most) {
      return text;
    }
    return text.substring(0, text.offsetByCodePoints(0, most - 1)) + '…';
  }

  /**
   * Returns this client's label if others can read it.
   *
   * @param what what the caller calls it
   * @throws IllegalArgumentException naming the text and what is wrong with it
   */
  public static String checkLabel(String what, String text) {
    int length = text.codePointCount(0, text.length());
    if (length > LONGEST_LABEL) {
      throw new IllegalArgumentException(
          what
              + " has "
              + length
              + " characters, at most "
              + LONGEST_LABEL
              + " are allowed: "
              + quote(shorten(text, 32)));
    }
    int plain = plainLength(text);
    if (plain < text.length()) {
      throw new IllegalArgumentException(
          what
              + " "
              + quote(text)
              + " has a character that does not show at index "
              + plain
              + "; use letters, digits, punctuation and spaces");
    }
    return text;
  }

  private static int plainLength(String text) {
    int i = 0;
    while (i < text.length()) {
      char c = text.charAt(i);
      if (c >= ' ' && c < 0x7f) { // nearly always
        i++;
      } else {
        int codePoint = text.codePointAt(i);
        if (!shows(codePoint)) {
          break;
        }
        i += Character.charCount(codePoint);
      }
    }
    return i;
  }

  private static String escaped(String text, int plain, boolean json) {
    StringBuilder out = new StringBuilder(text.length() + 16).append(text, 0, plain);
    int i = plain;
    while (i < text.length()) {
      int codePoint = text.codePointAt(i);
      int end = i + Character.charCount(codePoint);
      if (json && (codePoint == '"' || codePoint == '\\')) {
        out.append('\\').append((char) codePoint);
      } else if (shows(codePoint)) {
        out.appendCodePoint(codePoint);
      } else {
        for (int at = i; at < end; at++) {
          appendHex(out, text.charAt(at));
        }
      }
      i = end;
    }
    return out.toString();
  }

  private static void appendHex(StringBuilder out, char c) {
    out.append("\\u");
    for (int shift = 12; shift >= 0; shift -= 4) {
      out.append(HEX.charAt((c >> shift) & 15));
    }
  }

  private static boolean shows(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }
}
