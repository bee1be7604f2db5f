package dev.holdfast.torture;

import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Shows on stderr what goes on: on a terminal one line that changes every second, elsewhere a line
 * now and then. Thread-safe.
 */
final class Progress implements AutoCloseable {

  private static final int TERMINAL_EVERY = 1;
  private static final int FILE_EVERY = 30;

  private final PrintStream out;
  private final boolean terminal;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "progress");
            thread.setDaemon(true);
            return thread;
          });

  // Mutable state
  private volatile String chapter = "";
  private volatile String step = "";
  private volatile long since = System.nanoTime();

  Progress(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
    int every = terminal ? TERMINAL_EVERY : FILE_EVERY;
    timer.scheduleAtFixedRate(this::show, every, every, TimeUnit.SECONDS);
  }

  /** Something larger begins. */
  void begin(String name) {
    chapter = name;
    step = "";
    since = System.nanoTime();
    if (!terminal) {
      out.println(name);
    }
  }

  /** A step of it. */
  void step(String what) {
    step = what;
  }

  /** Says something that stays. */
  void say(String line) {
    out.println((terminal ? "\r\033[K" : "") + line);
  }

  @Override
  public void close() {
    timer.shutdownNow();
    if (terminal) {
      out.print("\r\033[K");
    }
  }

  private void show() {
    Duration passed = Duration.ofNanos(System.nanoTime() - since);
    String line =
        "%s  %d:%02d  %s".formatted(chapter, passed.toMinutes(), passed.toSecondsPart(), step);
    if (terminal) {
      out.print("\r\033[K" + line);
      out.flush();
    } else {
      out.println(line);
    }
  }
}
