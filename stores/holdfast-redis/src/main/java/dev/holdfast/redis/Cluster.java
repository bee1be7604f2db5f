package dev.holdfast.redis;

import dev.holdfast.Finding;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The shards of a Redis Cluster. A message that is published on any node reaches the subscribers of
 * all, so one subscription on one node is enough.
 */
final class Cluster implements Servers {

  private final RedisClusterClient client;
  private final Runnable afterwards;
  private final Queue<Breaks> listeners = new ConcurrentLinkedQueue<>();

  /**
   * Of a client that knows the nodes.
   *
   * @param afterwards what becomes of the client afterwards
   */
  Cluster(RedisClusterClient client, Runnable afterwards) {
    this.client = client;
    this.afterwards = afterwards;
  }

  @Override
  public CompletionStage<Link> connect(Calls calls) {
    client.getPartitions(); // who has which slots, asked once; the connection needs it
    // The connections to the nodes are hidden in the one to the Cluster; only the client tells of
    // them.
    Breaks listener = new Breaks(calls::disconnected);
    listeners.add(listener);
    client.addListener(listener);
    return client
        .connectAsync(StringCodec.UTF8)
        .thenApply(connection -> new Link(connection, connection.async(), calls));
  }

  @Override
  public CompletionStage<? extends StatefulRedisPubSubConnection<String, String>> listen() {
    client.getPartitions();
    return client.connectPubSubAsync(StringCodec.UTF8);
  }

  @Override
  public Finding encryption() {
    return OneServer.encryption(
        client.getPartitions().stream().map(RedisClusterNode::getUri).toList());
  }

  @Override
  public void close() {
    listeners.forEach(client::removeListener);
    afterwards.run();
  }
}
