package dev.holdfast.testkit.simulation;

import dev.holdfast.testkit.simulation.Simulate.Options;
import java.lang.management.ManagementFactory;
import java.time.Duration;

/**
 * Shows on stderr how far it has come: a bar on a terminal, a line every half minute elsewhere.
 * Thread-safe.
 */
final class Progress {

  private static final int WIDTH = 30;
  private static final Duration PACE = Duration.ofSeconds(30);
  private static final Duration TERMINAL_PACE = Duration.ofMillis(200);

  private final Options options;
  private final Simulations simulations;
  private final boolean terminal = Boolean.getBoolean("holdfast.terminal");
  private final long start = System.nanoTime();

  // Mutable state, guarded by this
  private long shown = start;

  Progress(Options options, Simulations simulations) {
    this.options = options;
    this.simulations = simulations;
  }

  boolean isTimeOver() {
    return !options.time().isZero() && System.nanoTime() - start >= options.time().toNanos();
  }

  /** {@return how long the processors were at it, with compiling and collecting garbage} */
  double processorSeconds() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean bean
        ? bean.getProcessCpuTime() / 1e9
        : 0;
  }

  synchronized void advanced() {
    long now = System.nanoTime();
    if (now - shown >= (terminal ? TERMINAL_PACE : PACE).toNanos()) {
      shown = now;
      show(now);
    }
  }

  synchronized void end() {
    if (terminal) {
      System.err.print("\r\033[K");
    }
  }

  private void show(long now) {
    Stats stats = simulations.stats();
    double done =
        options.time().isZero()
            ? (double) stats.simulations() / options.hours()
            : (double) (now - start) / options.time().toNanos();
    String text =
        "%3.0f %%  %,d simulated hours, %,d grants, every promise kept"
            .formatted(Math.min(1, done) * 100, stats.simulations(), stats.grants());
    if (terminal) {
      int filled = (int) (Math.min(1, done) * WIDTH);
      System.err.print("\r\033[K[" + "#".repeat(filled) + " ".repeat(WIDTH - filled) + "] " + text);
    } else {
      System.err.println("holdfast simulate: " + text);
    }
  }
}
