package dev.holdfast.servers;

import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Waits until servers have found each other. */
final class Patience {

  private static final Duration LONGEST = Duration.ofSeconds(60);

  private Patience() {}

  /** Returns when the condition holds; a question that fails counts as not yet. */
  static void until(String what, Callable<Boolean> condition) {
    long deadline = System.nanoTime() + LONGEST.toNanos();
    @Nullable Exception last = null;
    try {
      while (System.nanoTime() - deadline < 0) {
        try {
          if (condition.call()) {
            return;
          }
          last = null;
        } catch (Exception notYet) {
          last = notYet;
        }
        Thread.sleep(20);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting: " + what, e);
    }
    throw new IllegalStateException("it did not happen within " + LONGEST + ": " + what, last);
  }
}
