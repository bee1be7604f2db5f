package dev.holdfast.memcached;

import dev.holdfast.StoreException;
import java.util.regex.Pattern;

/**
 * One reply of a server.
 *
 * @param line its first line, such as {@code HD c42}; for statistics the last
 * @param body the value, or the lines of the statistics; otherwise empty
 */
record Reply(String line, String body) {

  private static final Pattern SPACE = Pattern.compile(" ");
  private static final Pattern LINES = Pattern.compile("\n");

  /** {@return the first word} */
  String code() {
    return word(0);
  }

  /**
   * @return the length of the value that follows a line {@code VA}
   */
  int length() {
    return Integer.parseInt(word(1));
  }

  /** {@return the number after a flag that the command asked for} */
  long flag(char name) {
    for (String word : SPACE.split(line)) {
      if (word.length() > 1 && word.charAt(0) == name && word.charAt(1) != ' ') {
        return Long.parseLong(word.substring(1));
      }
    }
    throw unexpected();
  }

  /** {@return a number among the statistics} */
  long statistic(String name) {
    return Long.parseLong(text(name));
  }

  /** {@return a text among the statistics} */
  String text(String name) {
    String start = "STAT " + name + " ";
    for (String stat : LINES.split(body)) {
      if (stat.startsWith(start)) {
        return stat.substring(start.length());
      }
    }
    throw unexpected();
  }

  /** {@return the failure to throw for an error, or for a reply that this version does not know} */
  StoreException unexpected() {
    String hint =
        line.equals("ERROR") ? "; it must support the meta commands of Memcached 1.6" : "";
    return new StoreException("", "unexpected reply '" + line + "'" + hint);
  }

  private String word(int index) {
    String[] words = SPACE.split(line);
    if (words.length <= index) {
      throw unexpected();
    }
    return words[index];
  }
}
