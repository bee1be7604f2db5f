package dev.holdfast.redis.client;

import dev.holdfast.Finding;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The servers of a Redis Cluster. A message that is published on any node reaches the subscribers
 * of all, so one subscription on one node is enough.
 */
public final class ClusterServers implements ConnectionSource {

  private final RedisClusterClient client;
  private final Runnable afterwards;
  private final Queue<RedisConnectionStateListener> listeners = new ConcurrentLinkedQueue<>();

  /**
   * @param client knows the nodes
   * @param afterwards is run when the connections are closed
   */
  public ClusterServers(RedisClusterClient client, Runnable afterwards) {
    this.client = client;
    this.afterwards = afterwards;
  }

  @Override
  public CompletionStage<StoreConnection> connect(Requests requests) {
    client.getPartitions(); // asks once which node has which slots; the connection needs it
    // The connections to the nodes are hidden in the one to the Cluster: only the client reports
    // when one breaks.
    RedisConnectionStateListener listener = requests.listener();
    listeners.add(listener);
    client.addListener(listener);
    return client
        .connectAsync(StringCodec.UTF8)
        .thenApply(connection -> new StoreConnection(connection, connection.async(), requests));
  }

  @Override
  public CompletionStage<? extends StatefulRedisPubSubConnection<String, String>> listen() {
    client.getPartitions();
    return client.connectPubSubAsync(StringCodec.UTF8);
  }

  @Override
  public Finding encryption() {
    return SingleServer.encryption(
        client.getPartitions().stream().map(RedisClusterNode::getUri).toList());
  }

  @Override
  public void close() {
    listeners.forEach(client::removeListener);
    afterwards.run();
  }
}
