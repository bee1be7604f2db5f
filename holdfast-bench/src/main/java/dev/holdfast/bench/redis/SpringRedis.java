package dev.holdfast.bench.redis;

import dev.holdfast.bench.contender.Client;
import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Feature;
import dev.holdfast.bench.contender.JavaLock;
import dev.holdfast.bench.contender.Mutex;
import java.util.Set;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** Spring Integration's registry of locks, with the scheduler without which it renews nothing. */
enum SpringRedis implements Contender {
  PUB_SUB("Spring Redis, pub-sub", RedisLockType.PUB_SUB_LOCK),
  SPIN("Spring Redis, spin", RedisLockType.SPIN_LOCK);

  private final String label;
  private final RedisLockType type;

  SpringRedis(String label, RedisLockType type) {
    this.label = label;
    this.type = type;
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
    return Set.of(Feature.OWNER_CHECK, Feature.WAITING, Feature.REENTRANT, Feature.RENEWAL);
  }

  @Override
  public Client open(String url) {
    LettuceConnectionFactory connections = LettuceFactory.of(url);
    ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
    scheduler.setDaemon(true);
    scheduler.initialize();
    RedisLockRegistry registry = new RedisLockRegistry(connections, "bench");
    registry.setRedisLockType(type);
    registry.setRenewalTaskScheduler(scheduler);
    return new Client() {
      @Override
      public Mutex mutex(String name) {
        return new JavaLock(registry.obtain(name));
      }

      @Override
      public void close() {
        registry.destroy();
        scheduler.destroy();
        connections.destroy();
      }
    };
  }
}
