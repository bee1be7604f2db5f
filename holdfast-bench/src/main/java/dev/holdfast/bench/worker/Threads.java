package dev.holdfast.bench.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;

/** Threads that start together and do the same. */
public final class Threads implements AutoCloseable {

  private final int count;
  private final ExecutorService executor;

  public Threads(int count) {
    this.count = count;
    this.executor =
        Executors.newFixedThreadPool(
            count,
            task -> {
              Thread thread = new Thread(task, "bench");
              thread.setDaemon(true);
              return thread;
            });
  }

  /** Gives each thread its task, and does not wait for them. */
  public <T> List<Future<T>> start(IntFunction<Callable<T>> tasks) {
    List<Future<T>> started = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      started.add(executor.submit(tasks.apply(i)));
    }
    return started;
  }

  /** What each of them returns. */
  public static <T> List<T> results(List<Future<T>> started) throws Exception {
    List<T> results = new ArrayList<>();
    for (Future<T> one : started) {
      try {
        results.add(one.get());
      } catch (ExecutionException e) {
        throw e.getCause() instanceof Exception cause ? cause : e;
      }
    }
    return results;
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
