package dev.holdfast.redis.client;

import dev.holdfast.Finding;
import dev.holdfast.spi.Encryption;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * One server; behind Sentinel, the one that is the master when a connection is made.
 *
 * @param client makes the connections
 * @param afterwards is run when the connections are closed
 */
public record SingleServer(RedisClient client, RedisURI uri, Runnable afterwards)
    implements ConnectionSource {

  @Override
  public CompletionStage<StoreConnection> connect(Requests requests) {
    return client
        .connectAsync(StringCodec.UTF8, uri)
        .thenApply(
            connection -> {
              connection.addListener(requests.listener());
              return new StoreConnection(connection, connection.async(), requests);
            });
  }

  @Override
  public CompletionStage<StatefulRedisPubSubConnection<String, String>> listen() {
    return client.connectPubSubAsync(StringCodec.UTF8, uri);
  }

  @Override
  public Finding encryption() {
    return encryption(List.of(uri));
  }

  /** Sentinels count too: connections to a master begin with them. */
  static Finding encryption(List<RedisURI> uris) {
    Encryption weakest = Encryption.VERIFIED;
    List<String> hosts = new ArrayList<>();
    for (RedisURI uri : uris) {
      Encryption one = Encryption.NONE;
      if (uri.isSsl()) {
        one =
            uri.getVerifyMode() == SslVerifyMode.FULL ? Encryption.VERIFIED : Encryption.UNVERIFIED;
      }
      weakest = one.compareTo(weakest) < 0 ? one : weakest;
      uri.getSentinels().forEach(sentinel -> hosts.add(sentinel.getHost()));
      if (uri.getHost() != null) { // a socket has none
        hosts.add(uri.getHost());
      }
    }
    return weakest.finding(hosts, "use rediss://, or tls=true in the URL");
  }

  @Override
  public void close() {
    afterwards.run();
  }
}
