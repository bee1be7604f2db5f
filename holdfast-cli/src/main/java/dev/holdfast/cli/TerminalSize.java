package dev.holdfast.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Scanner;

/** How large the terminal is, also after the user has changed that. Java cannot tell: stty can. */
final class TerminalSize {

  // Mutable state
  private volatile boolean changed;
  private int lines = 24;
  private int columns = 80;

  private TerminalSize() {}

  /** Listens to the terminal, which says when its size has changed. */
  static TerminalSize follow() {
    TerminalSize size = new TerminalSize();
    size.changed = true;
    Signals.handle("WINCH", (name, number) -> size.changed = true);
    return size;
  }

  int lines() {
    return lines;
  }

  int columns() {
    return columns;
  }

  /** Looks again if the size has changed since the last time; returns whether it has. */
  boolean look() {
    if (!changed) {
      return false;
    }
    changed = false;
    try {
      // Standard input may be something else, so the terminal is asked by its own name.
      Process stty =
          new ProcessBuilder("sh", "-c", "stty size </dev/tty")
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      try (Scanner answer = new Scanner(stty.getInputStream(), StandardCharsets.US_ASCII)) {
        int height = answer.hasNextInt() ? answer.nextInt() : 0;
        int width = answer.hasNextInt() ? answer.nextInt() : 0;
        lines = height > 1 ? height : lines;
        columns = width > 1 ? width : columns;
      }
    } catch (IOException e) {
      return false; // then it stays as large as it was believed to be
    }
    return true;
  }
}
