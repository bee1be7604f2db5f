package dev.holdfast.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.CompletionStage;

/**
 * One server; behind Sentinel, whichever is the master when a connection is made.
 *
 * @param client makes the connections
 * @param uri to which
 * @param afterwards what becomes of the client afterwards
 */
record OneServer(RedisClient client, RedisURI uri, Runnable afterwards) implements Servers {

  @Override
  public CompletionStage<Link> connect(Calls calls) {
    return client
        .connectAsync(StringCodec.UTF8, uri)
        .thenApply(
            connection -> {
              connection.addListener(new Breaks(calls::disconnected));
              return new Link(connection, connection.async(), calls);
            });
  }

  @Override
  public CompletionStage<StatefulRedisPubSubConnection<String, String>> listen() {
    return client.connectPubSubAsync(StringCodec.UTF8, uri);
  }

  @Override
  public void close() {
    afterwards.run();
  }
}
