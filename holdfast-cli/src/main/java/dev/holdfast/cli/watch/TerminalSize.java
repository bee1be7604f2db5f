package dev.holdfast.cli.watch;

import dev.holdfast.cli.signal.Signals;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Scanner;

/**
 * The size of the terminal, also after the user has changed it. Java does not know it; stty does.
 */
final class TerminalSize {

  // Mutable state
  private volatile boolean changed;
  private int lines = 24;
  private int columns = 80;

  private TerminalSize() {}

  /** Follows the terminal, which signals a change of its size. */
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

  /** Reads the size again if it has changed since the last call. */
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
      return false; // keep the last known size
    }
    return true;
  }
}
