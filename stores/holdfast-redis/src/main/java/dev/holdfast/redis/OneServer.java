package dev.holdfast.redis;

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
  public Finding encryption() {
    return encryption(List.of(uri));
  }

  /** Of Sentinels too, which are where the connections to a master begin. */
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
