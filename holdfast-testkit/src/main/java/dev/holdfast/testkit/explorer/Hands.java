package dev.holdfast.testkit.explorer;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The threads of a world's callers. A call is made on one of them while the explorer waits for its
 * end, so nothing runs at the same moment. It is made only when it cannot block; should it do so
 * all the same, that is its outcome. Not thread-safe.
 */
final class Hands implements AutoCloseable {

  private static final long PATIENCE_SECONDS = 60; // by the system's own clock

  // Mutable state
  private final Map<Integer, ExecutorService> threads = new HashMap<>();

  /**
   * Makes a call on this thread.
   *
   * @param name what the thread is called meanwhile
   */
  <T> T call(int thread, String name, Callable<T> call) throws Exception {
    ExecutorService hand =
        threads.computeIfAbsent(
            thread,
            number ->
                Executors.newSingleThreadExecutor(
                    task -> {
                      Thread made = new Thread(task, "thread " + number);
                      made.setDaemon(true);
                      return made;
                    }));
    try {
      return hand.submit(() -> named(name, call)).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception failure) {
        throw failure;
      }
      throw e;
    } catch (TimeoutException e) {
      throw new TimeoutException(name + " blocks");
    }
  }

  private static <T> T named(String name, Callable<T> call) throws Exception {
    Thread.currentThread().setName(name); // the claim's owner shows it
    return call.call();
  }

  @Override
  public void close() {
    List.copyOf(threads.values()).forEach(ExecutorService::shutdownNow);
  }
}
