package dev.holdfast.redis.protocol;

import static dev.holdfast.redis.client.ConnectionSource.await;

import dev.holdfast.StoreException;
import dev.holdfast.redis.client.ConnectionSource;
import dev.holdfast.redis.client.Requests;
import dev.holdfast.redis.client.StoreConnection;
import dev.holdfast.redis.script.ScriptRunner;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.StoreSettings;
import io.lettuce.core.RedisException;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The connections of a store.
 *
 * @param source where they come from
 * @param commands for everything that the others are not for
 * @param grants for joins and renewals; the same as {@code commands}, unless replicas are waited
 *     for
 * @param subscription for the client's channel
 */
public record StoreConnections(
    ConnectionSource source,
    StoreConnection commands,
    ScriptRunner grants,
    StatefulRedisPubSubConnection<String, String> subscription) {

  // Lettuce ends each step at the operation time-out. The whole has a wider limit: in a JVM that
  // has
  // just started on a busy machine, loading the classes for the first connection may take seconds.
  private static final int STEPS = 3;

  private static final Duration MAX_CLOSING = Duration.ofSeconds(1);

  /**
   * Connects, and checks that the server can be used. Blocks. Closes the source if that fails.
   *
   * @param replicas how many must have a grant or renewal
   * @throws StoreException if the server cannot be reached or used
   */
  public static StoreConnections open(
      String url,
      ConnectionSource source,
      int replicas,
      String channel,
      Wakeups wakeups,
      StoreSettings settings) {
    Duration timeout = settings.operationTimeout();
    Deadline deadline = Deadline.in(timeout.multipliedBy(STEPS), settings.ticker());
    Supplier<CompletableFuture<StoreConnection>> connect =
        () -> source.connect(new Requests(url, settings.ticker(), timeout)).toCompletableFuture();
    try {
      // All at the same time: a command line should not wait several times.
      CompletableFuture<StoreConnection> first = connect.get();
      CompletableFuture<StoreConnection> second = replicas > 0 ? connect.get() : first;
      CompletableFuture<? extends StatefulRedisPubSubConnection<String, String>> listener =
          source.listen().toCompletableFuture();
      StoreConnection commands =
          await(url, first.thenCompose(made -> made.checked(url, deadline)), deadline.remaining());
      ScriptRunner grants =
          replicas > 0
              ? new ReplicatedRunner(
                  url, await(url, second, deadline.remaining()), replicas, timeout)
              : commands;
      StatefulRedisPubSubConnection<String, String> subscription =
          await(url, listener, deadline.remaining());
      subscription.addListener(wakeups);
      Requests requests = commands.requests();
      CompletableFuture<Void> subscribed =
          requests.sendFirst(
              () ->
                  requests.send("SUBSCRIBE command", () -> subscription.async().subscribe(channel)),
              deadline);
      await(url, subscribed.thenCompose(sent -> wakeups.whenSubscribed()), deadline.remaining());
      return new StoreConnections(source, commands, grants, subscription);
    } catch (RuntimeException e) {
      source.close();
      throw e instanceof RedisException ? ConnectionSource.unusable(url, e) : e;
    }
  }

  /**
   * Closes the connections, and then their source: Lettuce warns if it closes one again. So it
   * waits for them, for a bounded time: a caller may shut its own client down next.
   */
  public void close() {
    List<CompletableFuture<Void>> closing = new ArrayList<>();
    closing.add(commands.close());
    closing.add(subscription.closeAsync());
    if (grants != commands) {
      closing.add(grants.close());
    }
    CompletableFuture.allOf(closing.toArray(CompletableFuture[]::new))
        .handle(
            (closed, failure) -> {
              source.close();
              return closed;
            })
        .completeOnTimeout(null, MAX_CLOSING.toMillis(), TimeUnit.MILLISECONDS)
        .join();
  }
}
