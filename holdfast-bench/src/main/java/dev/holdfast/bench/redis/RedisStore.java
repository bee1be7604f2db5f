package dev.holdfast.bench.redis;

import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.HoldfastClient;
import dev.holdfast.bench.store.Framing;
import dev.holdfast.bench.store.RunningServer;
import dev.holdfast.bench.store.Store;
import dev.holdfast.servers.RedisServer;
import java.util.List;

/** Redis. */
public final class RedisStore implements Store {

  @Override
  public String name() {
    return "redis";
  }

  @Override
  public String title() {
    return "Redis";
  }

  @Override
  public boolean pushes() {
    return true;
  }

  @Override
  public Framing framing() {
    return new RedisFraming();
  }

  @Override
  public List<Contender> contenders() {
    return List.of(
        HoldfastClient.BY_DEFAULT,
        HoldfastClient.WITHOUT_HAND_OFF,
        HoldfastClient.WITH_SLICE,
        RedisFloor.CONTENDER,
        Redisson.LOCK,
        Redisson.FAIR,
        Redisson.FENCED,
        Redisson.SPIN,
        SpringRedis.PUB_SUB,
        SpringRedis.SPIN,
        ShedLockRedis.BY_DEFAULT,
        ShedLockRedis.SAFE_UPDATE);
  }

  @Override
  public RunningServer start() {
    RedisServer server = RedisServer.start();
    return new RunningServer(
        server.url(),
        server.port(),
        "Redis " + server.info("server", "redis_version") + ", nothing on disk",
        server);
  }
}
