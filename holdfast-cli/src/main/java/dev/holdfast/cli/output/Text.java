package dev.holdfast.cli.output;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Collection;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/** Text for people. */
public final class Text {

  private Text() {}

  /** The reason why the file could not be used, without its name. */
  public static String reason(IOException failure) {
    @Nullable String reason =
        failure instanceof FileSystemException f ? f.getReason() : failure.getMessage();
    if (reason != null) {
      return reason;
    }
    return failure instanceof NoSuchFileException
        ? "there is no such file"
        : failure.getClass().getSimpleName();
  }

  /**
   * The candidate closest to the word, or null if none is close. Of equally close ones, that with
   * the longest common prefix: the first letters are seldom wrong.
   */
  public static @Nullable String nearest(String word, Collection<String> candidates) {
    return candidates.stream()
        .filter(candidate -> distance(word, candidate) <= Math.max(2, word.length() / 3))
        .min(
            Comparator.<String>comparingInt(candidate -> distance(word, candidate))
                .thenComparingInt(candidate -> -sameBeginning(word, candidate)))
        .orElse(null);
  }

  private static int sameBeginning(String a, String b) {
    int length = 0;
    while (length < Math.min(a.length(), b.length()) && a.charAt(length) == b.charAt(length)) {
      length++;
    }
    return length;
  }

  /** How many characters must be added, removed or changed: Levenshtein's distance. */
  private static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(change, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[b.length()];
  }
}
