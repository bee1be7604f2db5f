package dev.holdfast.bench.redis;

import dev.holdfast.bench.contender.Client;
import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Feature;
import dev.holdfast.bench.contender.ShedLock;
import java.util.Set;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** ShedLock on Redis: by default it checks no owner; it can be told to. */
enum ShedLockRedis implements Contender {
  BY_DEFAULT("ShedLock Redis", false),
  SAFE_UPDATE("ShedLock Redis, safe update", true);

  private final String label;
  private final boolean safe;

  ShedLockRedis(String label, boolean safe) {
    this.label = label;
    this.safe = safe;
  }

  @Override
  public String label() {
    return label;
  }

  @Override
  public Role role() {
    return Role.PEER;
  }

  @Override
  public Set<Feature> features() {
    return safe ? Set.of(Feature.OWNER_CHECK) : Set.of();
  }

  @Override
  public Client open(String url) {
    LettuceConnectionFactory connections = LettuceFactory.of(url);
    return new ShedLock(
        new RedisLockProvider.Builder(connections).safeUpdate(safe).build(), connections::destroy);
  }
}
