package dev.holdfast.testkit;

import java.util.SplittableRandom;
import java.util.function.IntPredicate;

/**
 * Text as a client might write it that means harm or is broken: escape sequences of terminals, line
 * breaks, marks that hide text or turn its direction, patterns of loggers and templates, halves of
 * characters. From a seed, so that a failure can be repeated. Not thread-safe.
 */
public final class HostileText {

  private static final String[] PIECES = {
    "\u001b]0;owned\u0007",
    "\u001b[2J",
    "\u001b[31m",
    "\u009b31m",
    "\u0090x\u009c",
    "\r",
    "\n",
    "\r\nERROR everything is lost",
    "\b\b\b\b",
    "\u007f",
    "\u0085",
    "\t",
    "\u000b",
    "\f",
    "\u202e",
    "\u202a",
    "\u2066",
    "\u2069",
    "\u200e",
    "\u200f",
    "\u061c",
    "\u200b",
    "\u200c",
    "\u200d",
    "\u2060",
    "\ufeff",
    "\u00ad",
    "\u180e",
    "\u2028",
    "\u2029",
    "\ufff9",
    "\udb40\udc01",
    "\udb40\udc41",
    "{0}",
    "{",
    "'",
    "''",
    "\"",
    "\\",
    "\\u001b",
    "%s",
    "%n",
    "%1b",
    "%",
    "+",
    "&",
    "${jndi:ldap://x}",
    "<script>",
    "*/",
    "--",
    ";",
    ".",
    "=",
    " ",
    "a",
    "Z",
    "0",
    "é",
    "e\u0301",
    "锁",
    "😀",
    "\u00a0",
    "holdfast: the lock is free"
  };

  private static final String[] HALVES = {"\ud83d", "\ude00", "\ud83dx", "\ude00\ud83d"};

  private final SplittableRandom random;

  /** The same texts for the same seed. */
  public HostileText(long seed) {
    random = new SplittableRandom(seed);
  }

  /** One to twelve pieces: valid Unicode without NUL, as a store can keep it. */
  public String next() {
    StringBuilder text = new StringBuilder();
    for (int pieces = 1 + random.nextInt(12); pieces > 0; pieces--) {
      text.append(PIECES[random.nextInt(PIECES.length)]);
    }
    return text.toString();
  }

  /** As {@link #next}, with NUL or half a surrogate pair somewhere. */
  public String nextBroken() {
    String half = random.nextInt(4) == 0 ? "\0" : HALVES[random.nextInt(HALVES.length)];
    return next() + half + next();
  }

  /**
   * @return whether the text does nothing to a terminal, a line of a log or a reader. Says what is
   *     harmful by its own list, so that the product's is tested against it
   */
  public static boolean isHarmless(String text) {
    IntPredicate harmful =
        c ->
            c < 0x20
                || within(c, 0x7f, 0x9f)
                || c == 0xad
                || c == 0x61c
                || c == 0x180e
                || within(c, 0x200b, 0x200f)
                || within(c, 0x2028, 0x202e)
                || within(c, 0x2060, 0x206f)
                || within(c, 0xd800, 0xdfff)
                || c == 0xfeff
                || within(c, 0xfff9, 0xfffb)
                || within(c, 0xe0000, 0xe007f);
    return text.codePoints().noneMatch(harmful);
  }

  private static boolean within(int c, int first, int last) {
    return first <= c && c <= last;
  }
}
