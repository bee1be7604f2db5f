package dev.holdfast.spi.support;

import dev.holdfast.spi.Deadline;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A request that many callers share: at most one is under way. Thread-safe.
 *
 * @param <T> the answer
 */
public final class SingleFlight<T> {

  private final Function<Deadline, ? extends CompletionStage<T>> request;
  private final ReentrantLock mutex = new ReentrantLock();

  // Mutable state, guarded by mutex
  private @Nullable Flight<T> current;
  private @Nullable Flight<T> next;

  /**
   * @param request sends it; the deadline is the latest of those of its callers
   */
  public SingleFlight(Function<Deadline, ? extends CompletionStage<T>> request) {
    this.request = request;
  }

  /**
   * Sends the request, after the one under way has ended: an earlier one proves nothing to this
   * caller.
   *
   * @return the answer to a request that is sent after this call
   */
  public CompletableFuture<T> next(Deadline deadline) {
    Flight<T> flight;
    mutex.lock();
    try {
      if (current != null) {
        Flight<T> waiting = next == null ? new Flight<>(deadline) : next.until(deadline);
        next = waiting;
        return waiting.result;
      }
      flight = new Flight<>(deadline);
      current = flight;
    } finally {
      mutex.unlock();
    }
    send(flight);
    return flight.result;
  }

  /**
   * @return the answer to the request under way, which may have been sent before this call and end
   *     before this deadline; if there is none, to one that is sent now
   */
  public CompletableFuture<T> current(Deadline deadline) {
    mutex.lock();
    try {
      if (current != null) {
        return current.result;
      }
    } finally {
      mutex.unlock();
    }
    return next(deadline);
  }

  private void send(Flight<T> flight) {
    CompletionStage<T> sent;
    try {
      sent = request.apply(flight.deadline);
    } catch (RuntimeException notSent) {
      sent = CompletableFuture.failedFuture(notSent);
    }
    var unused =
        sent.whenComplete(
            (answer, failure) -> {
              Flight<T> waiting = takeNext();
              if (failure == null) {
                flight.result.complete(answer);
              } else {
                flight.result.completeExceptionally(Failures.unwrap(failure));
              }
              if (waiting != null) {
                send(waiting);
              }
            });
  }

  /**
   * @return the waiting request, which counts as under way from now on, or null if there is none
   */
  private @Nullable Flight<T> takeNext() {
    mutex.lock();
    try {
      current = next;
      next = null;
      return current;
    } finally {
      mutex.unlock();
    }
  }

  private record Flight<T>(CompletableFuture<T> result, Deadline deadline) {

    Flight(Deadline deadline) {
      this(new CompletableFuture<>(), deadline);
    }

    Flight<T> until(Deadline other) {
      return other.remainingNanos() > deadline.remainingNanos()
          ? new Flight<>(result, other)
          : this;
    }
  }
}
