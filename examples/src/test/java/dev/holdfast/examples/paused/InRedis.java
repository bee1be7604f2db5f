package dev.holdfast.examples.paused;

import dev.holdfast.Proof;
import dev.holdfast.redis.RedisFence;
import dev.holdfast.redis.RedisOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.Objects;

/** Keys in Redis; one script checks the token and writes. */
final class InRedis implements Guarded {

  private final RedisClient client;
  private final StatefulRedisConnection<String, String> connection;
  private final RedisFence fence;

  InRedis(String url) {
    client = RedisClient.create(url);
    connection = client.connect();
    fence = RedisFence.over(connection, RedisOptions.defaults());
  }

  @Override
  public void enter(Proof proof) {
    fence.enter(proof);
  }

  @Override
  public String read(String lock) {
    return Objects.requireNonNullElse(connection.sync().get(lock), "");
  }

  @Override
  public void write(Proof proof, String text) {
    fence.set(proof, proof.lock(), text);
  }

  @Override
  public void close() {
    client.shutdown();
  }
}
