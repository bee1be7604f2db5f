package dev.holdfast.cli.lock;

import dev.holdfast.Holdfast;
import dev.holdfast.LockTimeoutException;
import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.Durations;
import dev.holdfast.cli.output.ExitCodes;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Waits for the lock, and prints the holder if the wait is long.
 *
 * @param <T> the lease that is granted
 */
public final class Acquisition<T> {

  private static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final Duration REMINDER = Duration.ofSeconds(30);

  private final Holdfast locks;
  private final LockRequest<T> request;
  private final @Nullable Duration wait;
  private final Console console;

  /**
   * @param wait at most; null to wait without limit, zero not to wait
   */
  public Acquisition(
      Holdfast locks, LockRequest<T> request, @Nullable Duration wait, Console console) {
    this.locks = locks;
    this.request = request;
    this.wait = wait;
    this.console = console;
  }

  /**
   * Waits.
   *
   * @param giveUp ends the wait when it completes
   * @return the lease, or null if the wait was ended
   * @throws CliException if the lock stayed busy
   */
  public @Nullable T await(CompletableFuture<?> giveUp) throws InterruptedException {
    long started = System.nanoTime();
    CompletableFuture<? extends @Nullable T> lease = request.acquire().apply(wait);
    CompletableFuture<Object> either = CompletableFuture.anyOf(lease, giveUp);
    Duration patience = PATIENCE;
    while (true) {
      try {
        either.get(patience.toNanos(), TimeUnit.NANOSECONDS);
        break;
      } catch (TimeoutException e) {
        say();
        patience = console.isTerminal(2) ? REMINDER : Duration.ofNanos(Long.MAX_VALUE);
      } catch (ExecutionException e) {
        break; // reported below
      }
    }
    if (giveUp.isDone() && lease.cancel(false)) {
      return null;
    }
    T granted = result(lease, started);
    if (granted == null) {
      throw busy(Duration.ofNanos(System.nanoTime() - started));
    }
    return granted;
  }

  private @Nullable T result(CompletableFuture<? extends @Nullable T> lease, long started)
      throws InterruptedException {
    try {
      return lease.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof LockTimeoutException) {
        throw busy(Duration.ofNanos(System.nanoTime() - started));
      }
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  private void say() {
    console.say("waiting for " + request.describe() + ": " + request.holders(locks));
  }

  private CliException busy(Duration waited) {
    String after = wait == null || wait.isZero() ? "" : " after " + Durations.format(waited);
    return new CliException(
        ExitCodes.BUSY, "gave up on " + request.describe() + after + ": " + request.holders(locks));
  }
}
