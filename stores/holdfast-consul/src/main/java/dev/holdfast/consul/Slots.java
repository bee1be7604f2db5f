package dev.holdfast.consul;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Lets so many tasks run at a time, first come, first served: Consul cuts off a host that opens too
 * many connections. Any threads; a task is started by whoever ended the one before it.
 */
final class Slots {

  private final Queue<Supplier<? extends CompletableFuture<?>>> waiting =
      new ConcurrentLinkedQueue<>();
  private final AtomicInteger free;
  private final AtomicInteger calls = new AtomicInteger();

  Slots(int size) {
    free = new AtomicInteger(size);
  }

  void run(Supplier<? extends CompletableFuture<?>> task) {
    waiting.add(task);
    startWhatFits();
  }

  // One thread at a time starts tasks, in a loop: a task that ends at once must not start the next
  // one within itself, or thousands of them would overflow the stack.
  private void startWhatFits() {
    if (calls.getAndIncrement() > 0) {
      return;
    }
    int seen = 1;
    while (seen > 0) {
      while (free.get() > 0 && !waiting.isEmpty()) {
        free.decrementAndGet();
        var unused =
            started(waiting.remove())
                .whenComplete(
                    (result, failure) -> {
                      free.incrementAndGet();
                      startWhatFits();
                    });
      }
      seen = calls.addAndGet(-seen);
    }
  }

  // One that cannot be started gives back its slot like one that has failed.
  private static CompletableFuture<?> started(Supplier<? extends CompletableFuture<?>> task) {
    try {
      return task.get();
    } catch (RuntimeException notStarted) {
      return CompletableFuture.failedFuture(notStarted);
    }
  }
}
