package dev.holdfast.redis.client;

import dev.holdfast.redis.script.Reply;
import dev.holdfast.redis.script.Script;
import dev.holdfast.redis.script.ScriptRunner;
import dev.holdfast.spi.Deadline;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.protocol.DefaultEndpoint;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One connection for commands, to a server or to all those of a Cluster. Runs scripts by their
 * digest; a server that does not know one gets its text. Thread-safe; never blocks.
 */
public final class StoreConnection implements ScriptRunner {

  private static final long PAUSE_NANOS = 1_000_000_000; // between two reconnections

  private final StatefulConnection<String, String> connection;
  private final RedisClusterAsyncCommands<String, String> commands;
  private final Requests requests;
  private final AtomicLong reconnected = new AtomicLong();

  StoreConnection(
      StatefulConnection<String, String> connection,
      RedisClusterAsyncCommands<String, String> commands,
      Requests requests) {
    this.connection = connection;
    this.commands = commands;
    this.requests = requests;
    // A machine that lost power, or a firewall, does not close connections: TCP would try for
    // minutes.
    requests.onSilence(this::reconnect);
  }

  @Override
  public CompletableFuture<List<Reply>> run(
      Script script, String lock, List<String> keys, List<String> arguments, Deadline deadline) {
    String[] keyArray = keys.toArray(new String[0]);
    String[] argumentArray = arguments.toArray(new String[0]);
    return requests
        .<List<Object>>send(
            script.operation(),
            lock,
            script.repeatable(),
            deadline,
            () ->
                commands.evalsha(script.digest(), ScriptOutputType.MULTI, keyArray, argumentArray),
            () -> commands.eval(script.text(), ScriptOutputType.MULTI, keyArray, argumentArray))
        .thenApply(Reply::all);
  }

  /** Checks that the server can be used; for the first command. */
  public CompletableFuture<StoreConnection> checked(String url, Deadline deadline) {
    return requests
        .sendFirst(() -> ServerInfo.of(this), deadline)
        .thenApply(
            info -> {
              info.check(url, isCluster());
              return this;
            });
  }

  /** {@return keys with the same number may be given to one script} */
  public int slot(String key) {
    return isCluster() ? SlotHash.getSlot(key) : 0;
  }

  public boolean isCluster() {
    return connection instanceof StatefulRedisClusterConnection;
  }

  /**
   * Breaks the connection, which makes Lettuce look for the server again, or ask the Sentinels for
   * the master. In a Cluster each node has its own connection, and Lettuce itself finds out which
   * node serves which slots.
   */
  public void reconnect() {
    long last = reconnected.get();
    long now = System.nanoTime();
    if ((last == 0 || now - last > PAUSE_NANOS)
        && reconnected.compareAndSet(last, now)
        && !isCluster()
        && connection instanceof RedisChannelHandler<?, ?> handler
        && handler.getChannelWriter() instanceof DefaultEndpoint endpoint) {
      endpoint.disconnect();
    }
  }

  public RedisClusterAsyncCommands<String, String> commands() {
    return commands;
  }

  public Requests requests() {
    return requests;
  }

  @Override
  public CompletableFuture<Void> close() {
    return connection.closeAsync();
  }
}
