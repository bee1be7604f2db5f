package dev.holdfast.bench.redis;

import dev.holdfast.bench.Framing;
import dev.holdfast.bench.Site;
import dev.holdfast.bench.Store;
import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.HoldfastContender;
import dev.holdfast.servers.RedisServer;
import java.util.List;

/** Redis. */
public final class RedisStore implements Store {

  @Override
  public String name() {
    return "redis";
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
        HoldfastContender.byDefault(),
        HoldfastContender.withoutHandOff(),
        new RedisFloor(),
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
  public Site start() {
    RedisServer server = RedisServer.start();
    return new Site(
        server.url(),
        server.port(),
        "Redis " + server.info("server", "redis_version") + ", nothing on disk",
        server);
  }
}
