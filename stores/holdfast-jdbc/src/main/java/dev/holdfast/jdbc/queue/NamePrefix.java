package dev.holdfast.jdbc.queue;

import org.jspecify.annotations.Nullable;

/**
 * The names that start with a prefix, as a range in the order of code points. That is the order in
 * which databases compare exact UTF-8 text, and it needs no pattern with characters to escape.
 */
public final class NamePrefix {

  private NamePrefix() {}

  /** Returns whether any name can start with it: names are valid Unicode. */
  static boolean isPossible(String prefix) {
    return prefix.codePoints().noneMatch(NamePrefix::isSurrogate);
  }

  /** The smallest text that is greater than all texts with this prefix; null if there is none. */
  public static @Nullable String end(String prefix) {
    String rest = prefix;
    while (!rest.isEmpty()) {
      int last = rest.codePointBefore(rest.length());
      rest = rest.substring(0, rest.length() - Character.charCount(last));
      if (last < Character.MAX_CODE_POINT) {
        int next = isSurrogate(last + 1) ? Character.MAX_SURROGATE + 1 : last + 1;
        return rest + Character.toString(next);
      }
    }
    return null;
  }

  private static boolean isSurrogate(int codePoint) {
    return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
  }
}
