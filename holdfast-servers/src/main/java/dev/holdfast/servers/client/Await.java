package dev.holdfast.servers.client;

import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Waits for conditions, such as servers having found each other. */
public final class Await {

  private static final Duration LONGEST = Duration.ofSeconds(60);

  private Await() {}

  /** Returns when the condition holds; a check that throws counts as not yet. */
  public static void until(String what, Callable<Boolean> condition) {
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
    throw new IllegalStateException("not within " + LONGEST + ": " + what, last);
  }
}
