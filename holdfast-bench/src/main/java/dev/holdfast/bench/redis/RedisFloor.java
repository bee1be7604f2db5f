package dev.holdfast.bench.redis;

import dev.holdfast.bench.contender.Client;
import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Feature;
import dev.holdfast.bench.contender.Mutex;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.Set;
import java.util.UUID;

/**
 * One script takes a free lock and counts its grants, one deletes it if it is still ours: two round
 * trips on one connection.
 */
final class RedisFloor implements Contender {

  private static final String TTL_MILLIS = "30000";

  private static final String TAKE =
      """
      if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
        return redis.call('INCR', KEYS[2])
      end
      return 0""";

  private static final String RELEASE =
      """
      if redis.call('GET', KEYS[1]) == ARGV[1] then
        return redis.call('DEL', KEYS[1])
      end
      return 0""";

  @Override
  public String label() {
    return "floor";
  }

  @Override
  public Role role() {
    return Role.FLOOR;
  }

  @Override
  public Set<Feature> features() {
    return Set.of(Feature.OWNER_CHECK, Feature.TOKEN);
  }

  @Override
  public Client open(String url) {
    RedisClient client = RedisClient.create(url);
    StatefulRedisConnection<String, String> connection = client.connect();
    RedisCommands<String, String> commands = connection.sync();
    String take = commands.scriptLoad(TAKE);
    String release = commands.scriptLoad(RELEASE);
    return new Client() {
      @Override
      public Mutex mutex(String name) {
        String[] keys = {"{" + name + "}", "{" + name + "}:token"};
        String[] key = {keys[0]};
        return () -> {
          String owner = UUID.randomUUID().toString();
          Long token = commands.evalsha(take, ScriptOutputType.INTEGER, keys, owner, TTL_MILLIS);
          return held(token, () -> commands.evalsha(release, ScriptOutputType.INTEGER, key, owner));
        };
      }

      @Override
      public void close() {
        client.shutdown();
      }
    };
  }

  private static Mutex.Hold held(Long token, Runnable release) {
    if (token == 0) {
      throw new IllegalStateException("the floor waits for nobody");
    }
    return new Mutex.Hold() {
      @Override
      public void release() {
        release.run();
      }

      @Override
      public long token() {
        return token;
      }
    };
  }
}
