package dev.holdfast;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The rules that every {@link Fence} shares: which tokens it takes from holders, and which ones it
 * believes when it reads them back. What is stored may have been changed by anybody; a fence that
 * cannot read it refuses every holder, for it does not know which of them is the last.
 */
public final class FenceToken {

  /** Where a fence stands before anybody has entered. */
  public static final long NONE = 0;

  private static final Pattern DECIMAL = Pattern.compile("0|[1-9][0-9]{0,18}");
  private static final int SHOWN = 40;

  private FenceToken() {}

  /**
   * The token that a holder brings.
   *
   * @throws IllegalArgumentException for a permit of a semaphore, and for a token that no store
   *     hands out
   */
  public static long of(Proof proof) {
    if (proof.mode() == Mode.PERMIT) {
      throw new IllegalArgumentException(
          "permits of '"
              + proof.lock()
              + "' are held side by side and cannot be fenced; verify them");
    }
    if (proof.token() < 1 || proof.token() > Proof.MAX_TOKEN) {
      throw new IllegalArgumentException(
          "token %d of '%s' must be between 1 and %d"
              .formatted(proof.token(), proof.lock(), Proof.MAX_TOKEN));
    }
    return proof.token();
  }

  /** What a holder raises a fence to: its token, or {@link #NONE} for a reader. */
  public static long raising(Proof proof) {
    long token = of(proof);
    return proof.mode() == Mode.EXCLUSIVE ? token : NONE;
  }

  /** Refuses a holder if a later one has entered. */
  public static void refuseOlder(Proof proof, long current) {
    if (of(proof) < current) {
      throw new StaleTokenException(proof.lock(), proof.token(), current);
    }
  }

  /**
   * Where an operator may put a fence.
   *
   * @throws IllegalArgumentException if it is not between 0 and {@link Proof#MAX_TOKEN}
   */
  public static long forReset(String lock, long token) {
    if (token < NONE || token > Proof.MAX_TOKEN) {
      throw new IllegalArgumentException(
          "the fence of '%s' cannot be put at %d: a token is between 0 and %d"
              .formatted(lock, token, Proof.MAX_TOKEN));
    }
    return token;
  }

  /**
   * Reads a token that a fence has stored.
   *
   * @param lock its name; empty if the place is known without it
   * @param place where it is stored, for the message
   * @throws StoreException if the text is not a decimal number from 0 to {@link Proof#MAX_TOKEN}
   */
  public static long read(String lock, String place, @Nullable String text) {
    if (text != null && DECIMAL.matcher(text).matches()) {
      try {
        long token = Long.parseLong(text);
        if (token <= Proof.MAX_TOKEN) {
          return token;
        }
      } catch (NumberFormatException greaterThanAnyLong) {
        // reported below
      }
    }
    throw damaged(lock, place, text == null ? "nothing" : "'" + printable(text) + "'");
  }

  /** For a place that holds something else than a token. */
  public static StoreException damaged(String lock, String place, String found) {
    return new StoreException(
        lock,
        ("The fence%s is damaged: %s holds %s instead of a token from 0 to %d. Nobody passes until"
                + " it is reset: holdfast fence reset, or its reset method.")
            .formatted(lock.isEmpty() ? "" : " of '" + lock + "'", place, found, Proof.MAX_TOKEN));
  }

  /** The beginning of a text that anybody may have written, without what a terminal would obey. */
  public static String printable(String text) {
    String start = text.length() > SHOWN ? text.substring(0, SHOWN) : text;
    return start.replaceAll("[^ -~]", "?") + (text.length() > SHOWN ? "…" : "");
  }
}
