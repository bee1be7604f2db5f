package dev.holdfast.spi.support;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/*
 * The text is compared byte by byte: a character beyond ASCII stands there as the bytes of its
 * UTF-8 form, one character each, because that is what escapes spell.
 */

/**
 * A text as a search sees it: escapes decoded, also those of escapes, a plus as a space. Remembers
 * which part of the original text each character came from. Immutable.
 */
final class Decoded {

  // An escaped escape of an escape is an attack or an accident; it must end.
  private static final int DEPTH = 4;

  private final String original;
  private final String text;
  private final int[] from;
  private final int[] to;

  private Decoded(String original, String text, int[] from, int[] to) {
    this.original = original;
    this.text = text;
    this.from = from;
    this.to = to;
  }

  static Decoded of(String original) {
    Decoded plain = bytes(original);
    for (int depth = 0; depth < DEPTH && plain.text.indexOf('%') >= 0; depth++) {
      plain = plain.unescaped();
    }
    return new Decoded(original, plain.text.replace('+', ' '), plain.from, plain.to);
  }

  private static Decoded bytes(String original) {
    byte[] bytes = original.getBytes(StandardCharsets.UTF_8);
    int[] from = new int[bytes.length];
    int[] to = new int[bytes.length];
    int at = 0;
    for (int i = 0; i < original.length(); ) {
      int next = original.offsetByCodePoints(i, 1);
      int length = original.substring(i, next).getBytes(StandardCharsets.UTF_8).length;
      Arrays.fill(from, at, at + length, i);
      Arrays.fill(to, at, at + length, next);
      at += length;
      i = next;
    }
    return new Decoded(original, new String(bytes, StandardCharsets.ISO_8859_1), from, to);
  }

  private Decoded unescaped() {
    StringBuilder decoded = new StringBuilder(text.length());
    int[] starts = new int[text.length()];
    int[] ends = new int[text.length()];
    for (int i = 0; i < text.length(); ) {
      int value = escaped(i);
      int last = value < 0 ? i : i + 2;
      starts[decoded.length()] = from[i];
      ends[decoded.length()] = to[last];
      decoded.append(value < 0 ? text.charAt(i) : (char) value);
      i = last + 1;
    }
    return new Decoded(original, decoded.toString(), starts, ends);
  }

  private int escaped(int index) {
    if (text.charAt(index) != '%' || index + 2 >= text.length()) {
      return -1;
    }
    int high = Character.digit(text.charAt(index + 1), 16);
    int low = Character.digit(text.charAt(index + 2), 16);
    return high < 0 || low < 0 ? -1 : high << 4 | low;
  }

  String text() {
    return text;
  }

  /** The text for names, which may be written in upper case; as long as {@link #text}. */
  String lowerCase() {
    return text.toLowerCase(Locale.ROOT);
  }

  /** {@return whether this character is one of these, and not an escape for it} */
  boolean isPlain(int index, String characters) {
    return to[index] - from[index] == 1 && characters.indexOf(text.charAt(index)) >= 0;
  }

  /** Where this character starts in the original text. */
  int start(int index) {
    return index < text.length() ? from[index] : original.length();
  }

  /** Where this character ends in the original text. */
  int end(int index) {
    return to[index];
  }
}
