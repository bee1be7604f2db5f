package dev.holdfast;

/**
 * Which names a lock can have: 1 to 512 characters (code points), not blank, no NUL, no lone
 * surrogates. Names are exact: case, spaces and accents matter. By convention {@code /} makes a
 * hierarchy.
 */
public final class LockName {

  /** The longest name, in code points. */
  public static final int MAX_LENGTH = 512;

  private LockName() {}

  /**
   * Returns the name if it is one.
   *
   * @throws IllegalArgumentException saying what is wrong with it
   */
  public static String check(String name) {
    if (!isPlain(name)) {
      checkClosely(name);
    }
    return name;
  }

  /** Nearly every name: printable ASCII that does not begin with a space, seen in one pass. */
  private static boolean isPlain(String name) {
    int length = name.length();
    if (length == 0 || length > MAX_LENGTH || name.charAt(0) == ' ') {
      return false;
    }
    for (int i = 0; i < length; i++) {
      char c = name.charAt(i);
      if (c < ' ' || c > '~') {
        return false;
      }
    }
    return true;
  }

  private static void checkClosely(String name) {
    if (name.isBlank()) {
      throw new IllegalArgumentException(
          "lock name is blank; give it at least one visible character");
    }
    int length = name.codePointCount(0, name.length());
    if (length > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "lock name has " + length + " characters; at most " + MAX_LENGTH + " are allowed");
    }
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c == 0) {
        throw new IllegalArgumentException("lock name has a NUL character at index " + i);
      }
      if (Character.isHighSurrogate(c)
          && i + 1 < name.length()
          && Character.isLowSurrogate(name.charAt(i + 1))) {
        i++;
      } else if (Character.isSurrogate(c)) {
        throw new IllegalArgumentException(
            "lock name has half of a surrogate pair at index " + i + "; it is not valid Unicode");
      }
    }
  }
}
