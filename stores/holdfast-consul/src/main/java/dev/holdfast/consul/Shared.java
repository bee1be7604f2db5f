package dev.holdfast.consul;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A request that serves all who ask for it while another of its kind is under way. Whoever asks
 * gets the answer to one that was sent after he asked: an earlier one proves nothing to him. Any
 * threads.
 */
final class Shared<T> {

  private final Supplier<CompletableFuture<T>> request;
  private final ReentrantLock mutex = new ReentrantLock();

  // Mutable state, guarded by mutex
  private @Nullable CompletableFuture<T> underWay;
  private @Nullable CompletableFuture<T> next;

  Shared(Supplier<CompletableFuture<T>> request) {
    this.request = request;
  }

  /** The answer to one that is sent from now on. */
  CompletableFuture<T> ask() {
    CompletableFuture<T> first;
    mutex.lock();
    try {
      if (underWay != null) {
        if (next == null) {
          next = new CompletableFuture<>();
        }
        return next;
      }
      first = new CompletableFuture<>();
      underWay = first;
    } finally {
      mutex.unlock();
    }
    send(first);
    return first;
  }

  /** The answer to the one that is under way, or else to one that is sent now. */
  CompletableFuture<T> askUnlessAsked() {
    mutex.lock();
    try {
      if (underWay != null) {
        return underWay;
      }
    } finally {
      mutex.unlock();
    }
    return ask();
  }

  private void send(CompletableFuture<T> result) {
    var unused =
        request
            .get()
            .whenComplete(
                (answer, failure) -> {
                  CompletableFuture<T> waiting = takeNext();
                  if (failure != null) {
                    result.completeExceptionally(failure);
                  } else {
                    result.complete(answer);
                  }
                  if (waiting != null) {
                    send(waiting);
                  }
                });
  }

  /** Those who wait for the next request, which is under way from now on; or null. */
  private @Nullable CompletableFuture<T> takeNext() {
    mutex.lock();
    try {
      CompletableFuture<T> waiting = next;
      next = null;
      underWay = waiting;
      return waiting;
    } finally {
      mutex.unlock();
    }
  }
}
