package dev.holdfast.redis.client;

import dev.holdfast.Finding;
import dev.holdfast.StoreException;
import dev.holdfast.spi.support.Failures;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Makes connections: to one server, to a master behind Sentinel, or to a Cluster. Thread-safe. */
public interface ConnectionSource {

  /** Connects for commands. */
  CompletionStage<StoreConnection> connect(Requests requests);

  /** Connects for a subscription, which Lettuce restores whenever it reconnects. */
  CompletionStage<? extends StatefulRedisPubSubConnection<String, String>> listen();

  /** {@return how the connections are protected} */
  Finding encryption();

  /**
   * Frees what was made for these connections, once they are closed; a client of the caller's stays
   * open.
   */
  void close();

  /**
   * Waits for what a store needs to open.
   *
   * @throws StoreException if it fails or takes longer
   */
  static <T> T await(String url, CompletableFuture<T> stage, Duration limit) {
    try {
      return stage.get(Math.max(1, limit.toNanos()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw unusable(url, "no answer in time", e);
    } catch (ExecutionException e) {
      throw unusable(url, e.getCause() == null ? e : e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw unusable(url, "interrupted", e);
    }
  }

  static StoreException unusable(String url, Throwable cause) {
    if (cause instanceof StoreException known) {
      return known;
    }
    String why = reason(cause);
    boolean plain = url.startsWith("rediss:") && why.contains("timed out");
    return unusable(url, why + (plain ? "; does the server speak TLS on this port?" : ""), cause);
  }

  private static StoreException unusable(String url, String why, Throwable cause) {
    return new StoreException("", "Cannot use " + url + ": " + why, cause);
  }

  /** {@return what the server or the network said; Lettuce wraps that in its own messages} */
  static String reason(Throwable failure) {
    Throwable deepest = failure;
    // A Cluster has many nodes to fail with; Lettuce adds those failures to its own.
    while (deepest.getCause() != null || deepest.getSuppressed().length > 0) {
      deepest = deepest.getCause() != null ? deepest.getCause() : deepest.getSuppressed()[0];
    }
    return Failures.reason(deepest);
  }
}
