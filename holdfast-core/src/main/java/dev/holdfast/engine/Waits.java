package dev.holdfast.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits that an interrupt does not end; the flag is kept. */
final class Waits {

  private Waits() {}

  /** Waits for a future that is certain to complete. */
  static <T> T forAnswer(CompletableFuture<T> future) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return future.get();
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (ExecutionException e) {
          if (e.getCause() instanceof RuntimeException cause) {
            throw cause;
          }
          throw new IllegalStateException(e.getCause());
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Waits at most so long, whatever comes of it. */
  static void quietly(CompletableFuture<?> future, Duration limit) {
    long end = System.nanoTime() + limit.toNanos();
    boolean interrupted = false;
    while (true) {
      try {
        future.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      } catch (ExecutionException | TimeoutException e) {
        break; // bounded: whoever waits for the locks gets them when their ttl ends
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
