package dev.holdfast;

import java.util.SplittableRandom;

/** Text that is hard on separators, escapes and encodings, from a seed. */
final class OddText {

  private static final String[] PIECES = {
    ";", ".", ",", "%", "%2E", "%3B", "+", " ", "=", "&", "/", "\\", "'", "\"", "\n", "\t",
    "\u0001", "a", "Z", "0", "é", "e\u0301", "锁", "😀", "\u00A0", "hf1", "-1"
  };

  private OddText() {}

  /** Possibly empty. */
  static String next(SplittableRandom random) {
    StringBuilder text = new StringBuilder();
    int pieces = random.nextInt(8);
    for (int i = 0; i < pieces; i++) {
      text.append(PIECES[random.nextInt(PIECES.length)]);
    }
    return text.toString();
  }
}
