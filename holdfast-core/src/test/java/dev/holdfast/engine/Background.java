package dev.holdfast.engine;

import static org.awaitility.Awaitility.await;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** An action on a separate thread while the test goes on. */
final class Background<T> {

  private final CompletableFuture<T> result = new CompletableFuture<>();
  private final Thread thread;

  private Background(Callable<T> task) {
    thread =
        new Thread(
            () -> {
              try {
                result.complete(task.call());
              } catch (Throwable e) {
                result.completeExceptionally(e);
              }
            },
            "background");
    thread.setDaemon(true);
  }

  static <T> Background<T> start(Callable<T> task) {
    Background<T> background = new Background<>(task);
    background.thread.start();
    return background;
  }

  /** Waits until it waits. */
  Background<T> awaitWaiting() {
    await().until(() -> result.isDone() || isWaiting());
    return this;
  }

  boolean isWaiting() {
    return LockSupport.getBlocker(thread) != null;
  }

  boolean isDone() {
    return result.isDone();
  }

  void interrupt() {
    thread.interrupt();
  }

  /** What came of it; what it threw is thrown. */
  T get() throws Exception {
    try {
      return result.get(60, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw e;
    }
  }
}
