package dev.holdfast.engine;

import dev.holdfast.StoreException;
import dev.holdfast.engine.callback.Text;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Bounded waits. Uninterruptible unless they say otherwise; the interrupt status is restored. */
final class Waits {

  private Waits() {}

  /**
   * Waits for an answer, which comes in bounded time. Should it not, because the thread that is to
   * bring it is the one that waits here, this ends as unknown.
   *
   * @param limit by the system's own clock
   */
  static <T> T forAnswer(CompletableFuture<T> future, Duration limit) {
    if (future.isDone() && !future.isCompletedExceptionally()) {
      return future.join(); // the memory store's answers: no clock is read
    }
    long end = System.nanoTime() + limit.toNanos();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return future.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (TimeoutException e) {
          throw new StoreException("", "No answer within " + Text.of(limit), e);
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

  /** Waits for the answer to a leave, up to this limit or until the thread is interrupted. */
  static void forLeave(CompletableFuture<?> left, Duration limit) {
    try {
      left.get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      // The caller has given up once already; the leave goes on without it.
    }
  }

  /** Waits up to this limit and ignores the outcome. */
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
        break; // bounded: waiting clients get the locks when their ttl ends
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
