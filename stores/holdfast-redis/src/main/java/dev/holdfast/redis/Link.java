package dev.holdfast.redis;

import dev.holdfast.spi.Deadline;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.protocol.DefaultEndpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One connection for commands, to a server or to all those of a Cluster. Runs scripts by their
 * digest; a server that does not know one gets its text. Any threads; nobody waits here.
 */
final class Link implements ScriptRunner {

  private static final long REST_NANOS = 1_000_000_000; // between two reconnections of our own

  private final StatefulConnection<String, String> connection;
  private final RedisClusterAsyncCommands<String, String> commands;
  private final Calls calls;
  private final AtomicLong reconnected = new AtomicLong();

  Link(
      StatefulConnection<String, String> connection,
      RedisClusterAsyncCommands<String, String> commands,
      Calls calls) {
    this.connection = connection;
    this.commands = commands;
    this.calls = calls;
    // A machine that lost its power, or a firewall, does not close connections: TCP would try for
    // minutes.
    calls.onSilence(this::reconnect);
  }

  @Override
  public CompletableFuture<List<Reply>> run(
      Script script,
      String what,
      String lock,
      List<String> keys,
      List<String> args,
      Deadline deadline) {
    String[] keyArray = keys.toArray(String[]::new);
    String[] argArray = args.toArray(String[]::new);
    return calls
        .<List<Object>>send(
            what,
            lock,
            script.repeatable(),
            deadline,
            () -> commands.evalsha(script.digest(), ScriptOutputType.MULTI, keyArray, argArray),
            () -> commands.eval(script.text(), ScriptOutputType.MULTI, keyArray, argArray))
        .thenApply(Link::replies);
  }

  /** Keys with the same number may be given to one script. */
  int slot(String key) {
    return isCluster() ? SlotHash.getSlot(key) : 0;
  }

  boolean isCluster() {
    return connection instanceof StatefulRedisClusterConnection;
  }

  /**
   * Breaks the connection, which makes Lettuce look for the server, or its Sentinels for the
   * master, anew. In a Cluster each node has its own connection, and Lettuce asks who has which
   * slots itself.
   */
  void reconnect() {
    long last = reconnected.get();
    long now = System.nanoTime();
    if ((last == 0 || now - last > REST_NANOS)
        && reconnected.compareAndSet(last, now)
        && !isCluster()
        && connection instanceof RedisChannelHandler<?, ?> handler
        && handler.getChannelWriter() instanceof DefaultEndpoint endpoint) {
      endpoint.disconnect();
    }
  }

  RedisClusterAsyncCommands<String, String> commands() {
    return commands;
  }

  Calls calls() {
    return calls;
  }

  @Override
  public void close() {
    var unused = connection.closeAsync();
  }

  private static List<Reply> replies(List<Object> answer) {
    List<Reply> replies = new ArrayList<>(answer.size());
    for (Object reply : answer) {
      replies.add(Reply.of(reply));
    }
    return replies;
  }
}
