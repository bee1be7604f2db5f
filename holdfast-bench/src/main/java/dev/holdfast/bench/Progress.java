package dev.holdfast.bench;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;

/** A progress bar on stderr; without a terminal, a line now and then. */
final class Progress {

  private static final int WIDTH = 30;

  private final PrintStream out;
  private final boolean terminal;
  private final long start = System.nanoTime();

  // Mutable state
  private int total;
  private int done;
  private String shown = "";

  Progress(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  /** Adds this many steps to the total. */
  void expect(int steps) {
    total += steps;
  }

  /** A step begins. */
  void begin(String chapter, String step) {
    if (terminal) {
      int filled = total == 0 ? 0 : WIDTH * done / total;
      out.printf(
          Locale.ROOT,
          "\r\033[K%s%s %3d%%  %s  %s: %s",
          "█".repeat(filled),
          "░".repeat(WIDTH - filled),
          total == 0 ? 0 : 100 * done / total,
          left(),
          chapter,
          step);
      out.flush();
    } else if (!chapter.equals(shown)) {
      out.println(chapter);
    }
    shown = chapter;
  }

  /** It has ended. */
  void end() {
    done++;
  }

  /** Says something that stays. */
  void say(String line) {
    out.println((terminal ? "\r\033[K" : "") + line);
  }

  private String left() {
    if (done == 0) {
      return "";
    }
    long elapsed = System.nanoTime() - start;
    Duration left = Duration.ofNanos(elapsed / done * (total - done));
    return left.toMinutes() > 0 ? left.toMinutes() + " min left" : left.toSeconds() + " s left";
  }
}
