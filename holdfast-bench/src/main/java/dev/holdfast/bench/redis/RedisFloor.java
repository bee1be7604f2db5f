package dev.holdfast.bench.redis;

import dev.holdfast.bench.contender.Client;
import dev.holdfast.bench.contender.Floor;
import dev.holdfast.bench.contender.Mutex;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.UUID;

/**
 * One script takes a free lock and counts its grants, one deletes it if it is still ours: two round
 * trips on one connection.
 */
final class RedisFloor extends Floor {

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
}
