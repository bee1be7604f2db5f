package dev.holdfast.bench.redis;

import dev.holdfast.bench.contender.Client;
import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Feature;
import dev.holdfast.bench.contender.ShedLock;
import java.util.Set;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** ShedLock on Redis: by default it does not check the owner; an option makes it. */
final class ShedLockRedis {

  static final Contender BY_DEFAULT =
      Contender.peer("ShedLock Redis", Set.of(), url -> open(url, false));

  static final Contender SAFE_UPDATE =
      Contender.peer(
          "ShedLock Redis, safe update", Set.of(Feature.OWNER_CHECK), url -> open(url, true));

  private ShedLockRedis() {}

  private static Client open(String url, boolean safe) {
    LettuceConnectionFactory connections = LettuceFactory.of(url);
    return new ShedLock(
        new RedisLockProvider.Builder(connections).safeUpdate(safe).build(), connections::destroy);
  }
}
