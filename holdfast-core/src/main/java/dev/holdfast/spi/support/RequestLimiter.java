package dev.holdfast.spi.support;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/*
 * One thread at a time starts requests, in a loop; any other only asks it to look again. A request
 * that ends at once must not start the next one from within, or thousands in a row would overflow
 * the stack.
 */

/**
 * Limits how many requests are under way; further ones wait in the order of their arrival, urgent
 * ones ahead of all others. Thread-safe; a waiting request is started by the thread that ended
 * another.
 */
public final class RequestLimiter {

  private final Queue<Supplier<? extends CompletionStage<?>>> urgent =
      new ConcurrentLinkedQueue<>();
  private final Queue<Supplier<? extends CompletionStage<?>>> waiting =
      new ConcurrentLinkedQueue<>();
  private final AtomicInteger free;
  private final AtomicInteger looks = new AtomicInteger();

  /**
   * @param limit how many requests may be under way at once
   */
  public RequestLimiter(int limit) {
    free = new AtomicInteger(limit);
  }

  /**
   * Starts a request, now or when its turn comes.
   *
   * @param request returns a stage that completes when the request is over
   */
  public void run(Supplier<? extends CompletionStage<?>> request) {
    waiting.add(request);
    startNext();
  }

  /** As {@link #run}, but ahead of the requests that are not urgent: for renewals. */
  public void runUrgent(Supplier<? extends CompletionStage<?>> request) {
    urgent.add(request);
    startNext();
  }

  private void startNext() {
    if (looks.getAndIncrement() > 0) {
      return;
    }
    int seen = 1;
    while (seen > 0) {
      while (free.get() > 0 && !(urgent.isEmpty() && waiting.isEmpty())) {
        free.decrementAndGet();
        CompletionStage<?> started;
        try {
          started = (urgent.isEmpty() ? waiting.remove() : urgent.remove()).get();
        } catch (RuntimeException notStarted) { // then it is over
          started = CompletableFuture.failedFuture(notStarted);
        }
        var unused =
            started.whenComplete(
                (result, failure) -> {
                  free.incrementAndGet();
                  startNext();
                });
      }
      seen = looks.addAndGet(-seen);
    }
  }
}
