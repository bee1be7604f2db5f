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
  private boolean underWay;
  private @Nullable CompletableFuture<T> next;

  Shared(Supplier<CompletableFuture<T>> request) {
    this.request = request;
  }

  CompletableFuture<T> ask() {
    mutex.lock();
    try {
      if (underWay) {
        if (next == null) {
          next = new CompletableFuture<>();
        }
        return next;
      }
      underWay = true;
    } finally {
      mutex.unlock();
    }
    CompletableFuture<T> first = new CompletableFuture<>();
    send(first);
    return first;
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
      underWay = waiting != null;
      return waiting;
    } finally {
      mutex.unlock();
    }
  }
}
