package dev.holdfast.redis;

import dev.holdfast.StoreException;
import dev.holdfast.spi.StoreSettings;
import io.lettuce.core.RedisException;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes the connections of a store and finds out whether the server can be used. Waits, unlike
 * everything else here.
 *
 * <p>Lettuce ends each step that waits for the server at the operation time-out. The whole has a
 * wider limit: in a JVM that has just started on a busy machine, loading the classes for the first
 * connection alone may take seconds, in which nobody waits for the server.
 */
final class Opening {

  private final String url;
  private final RedisOptions options;
  private final StoreSettings settings;
  private final long limit;
  private final long start = System.nanoTime();

  Opening(String url, RedisOptions options, StoreSettings settings) {
    this.url = url;
    this.options = options;
    this.settings = settings;
    this.limit = settings.operationTimeout().multipliedBy(3).toNanos();
  }

  Connections connect(Servers servers, String channel, Wakes wakes) {
    try {
      // All at the same time: a command line should not wait several times.
      CompletableFuture<Link> link = link(servers);
      CompletableFuture<Link> replicated = options.waitForReplicas() > 0 ? link(servers) : link;
      CompletableFuture<? extends StatefulRedisPubSubConnection<String, String>> listener =
          servers.listen().toCompletableFuture();
      Link commands = await(link);
      first(() -> ServerInfo.of(commands)).check(url, commands.isCluster());
      ScriptRunner grants =
          options.waitForReplicas() > 0
              ? new Replication(
                  url, await(replicated), options.waitForReplicas(), settings.operationTimeout())
              : commands;
      StatefulRedisPubSubConnection<String, String> listening = await(listener);
      listening.addListener(wakes);
      first(() -> listening.async().subscribe(channel).toCompletableFuture());
      await(wakes.listening());
      return new Connections(servers, commands, grants, listening);
    } catch (RuntimeException e) {
      servers.close();
      throw explained(e);
    }
  }

  private CompletableFuture<Link> link(Servers servers) {
    Calls calls = new Calls(url, settings.ticker(), settings.operationTimeout());
    return servers.connect(calls).toCompletableFuture();
  }

  // Lettuce may hand out a connection a moment before it is active, and refuses commands until
  // then.
  private <T> T first(Supplier<CompletableFuture<T>> command) {
    while (true) {
      try {
        return await(command.get());
      } catch (StoreException e) {
        if (!isRefusedByClient(e) || System.nanoTime() - start > limit) {
          throw e;
        }
        LockSupport.parkNanos(1_000_000);
      }
    }
  }

  // What the server or the network refuse has a class of its own.
  private static boolean isRefusedByClient(StoreException failure) {
    Throwable cause = failure.getCause();
    return cause != null && cause.getClass() == RedisException.class;
  }

  private <T> T await(CompletableFuture<T> stage) {
    long left = limit - (System.nanoTime() - start);
    try {
      return stage.get(Math.max(1, left), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw unreachable("no answer in time", e);
    } catch (ExecutionException e) {
      throw unreachable(reason(e), e.getCause() == null ? e : e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw unreachable("interrupted", e);
    }
  }

  private RuntimeException explained(RuntimeException failure) {
    return failure instanceof RedisException ? unreachable(reason(failure), failure) : failure;
  }

  private StoreException unreachable(String why, Throwable cause) {
    if (cause instanceof StoreException known) {
      return known;
    }
    boolean plain = url.startsWith("rediss:") && why.contains("timed out");
    String hint = plain ? "; does it speak TLS there?" : "";
    return new StoreException("", "Cannot use " + url + ": " + why + hint, cause);
  }

  /** What the server or the network said, which Lettuce wraps in words about itself. */
  static String reason(Throwable failure) {
    Throwable deepest = failure;
    for (Throwable next = failure; next != null; next = below(next)) {
      deepest = next;
    }
    String message = deepest.getMessage();
    return message == null
        ? deepest.getClass().getSimpleName()
        : message.lines().findFirst().orElse("");
  }

  // A Cluster has many nodes to fail with; Lettuce keeps those failures beside its own.
  private static @Nullable Throwable below(Throwable failure) {
    if (failure.getCause() != null) {
      return failure.getCause();
    }
    return failure.getSuppressed().length > 0 ? failure.getSuppressed()[0] : null;
  }
}
