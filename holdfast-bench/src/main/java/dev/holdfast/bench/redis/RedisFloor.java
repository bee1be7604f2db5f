package dev.holdfast.bench.redis;

import dev.holdfast.bench.contender.Client;
import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Floor;
import dev.holdfast.bench.contender.Mutex;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.UUID;

/**
 * One script takes a free lock and counts its grants, one deletes it if it is still ours: two round
 * trips on one connection.
 *
 * @param take the digest of the first script
 * @param release the digest of the second
 */
record RedisFloor(
    RedisClient client, RedisCommands<String, String> commands, String take, String release)
    implements Client {

  static final Contender CONTENDER = Floor.of(RedisFloor::open);

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

  private static Client open(String url) {
    RedisClient client = RedisClient.create(url);
    RedisCommands<String, String> commands = client.connect().sync();
    return new RedisFloor(
        client, commands, commands.scriptLoad(TAKE), commands.scriptLoad(RELEASE));
  }

  @Override
  public Mutex mutex(String name) {
    String[] lock = {"{" + name + "}"};
    String[] lockAndCount = {lock[0], lock[0] + ":token"};
    return () -> {
      String owner = UUID.randomUUID().toString();
      Long token =
          commands.evalsha(take, ScriptOutputType.INTEGER, lockAndCount, owner, TTL_MILLIS);
      return Floor.held(
          token, () -> commands.evalsha(release, ScriptOutputType.INTEGER, lock, owner));
    };
  }

  @Override
  public void close() {
    client.shutdown();
  }
}
