package dev.holdfast.consul;

import dev.holdfast.spi.Deadline;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A request that serves all who ask for it while another of its kind is under way. Whoever asks
 * gets the answer to one that was sent after he asked: an earlier one proves nothing to him. Any
 * threads.
 */
final class Shared<T> {

  private final Function<Deadline, CompletableFuture<T>> request;
  private final ReentrantLock mutex = new ReentrantLock();

  // Mutable state, guarded by mutex
  private @Nullable CompletableFuture<T> underWay;
  private @Nullable Next<T> next;

  Shared(Function<Deadline, CompletableFuture<T>> request) {
    this.request = request;
  }

  /** The answer to one that is sent from now on, and not given up before this deadline. */
  CompletableFuture<T> ask(Deadline deadline) {
    CompletableFuture<T> first;
    mutex.lock();
    try {
      if (underWay != null) {
        next =
            next == null ? new Next<>(new CompletableFuture<>(), deadline) : next.until(deadline);
        return next.result;
      }
      first = new CompletableFuture<>();
      underWay = first;
    } finally {
      mutex.unlock();
    }
    send(first, deadline);
    return first;
  }

  /** The answer to the one that is under way, or else to one that is sent now. */
  CompletableFuture<T> askUnlessAsked(Deadline deadline) {
    mutex.lock();
    try {
      if (underWay != null) {
        return underWay;
      }
    } finally {
      mutex.unlock();
    }
    return ask(deadline);
  }

  private void send(CompletableFuture<T> result, Deadline deadline) {
    var unused =
        request
            .apply(deadline)
            .whenComplete(
                (answer, failure) -> {
                  Next<T> waiting = takeNext();
                  if (failure != null) {
                    result.completeExceptionally(failure);
                  } else {
                    result.complete(answer);
                  }
                  if (waiting != null) {
                    send(waiting.result, waiting.deadline);
                  }
                });
  }

  /** Those who wait for the next request, which is under way from now on; or null. */
  private @Nullable Next<T> takeNext() {
    mutex.lock();
    try {
      Next<T> waiting = next;
      next = null;
      underWay = waiting == null ? null : waiting.result;
      return waiting;
    } finally {
      mutex.unlock();
    }
  }

  /**
   * The request to be sent when the present one is over.
   *
   * @param deadline the latest of those who wait for it
   */
  private record Next<T>(CompletableFuture<T> result, Deadline deadline) {

    Next<T> until(Deadline other) {
      return other.remainingNanos() > deadline.remainingNanos() ? new Next<>(result, other) : this;
    }
  }
}
