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
record SpringRedis(
    RedisLockRegistry registry,
    ThreadPoolTaskScheduler scheduler,
    LettuceConnectionFactory connections)
    implements Client {

  static final Contender PUB_SUB = contender("Spring Redis, pub-sub", RedisLockType.PUB_SUB_LOCK);

  static final Contender SPIN = contender("Spring Redis, spin", RedisLockType.SPIN_LOCK);

  private static Contender contender(String label, RedisLockType type) {
    return Contender.peer(
        label,
        Set.of(Feature.OWNER_CHECK, Feature.WAITING, Feature.REENTRANT, Feature.RENEWAL),
        url -> open(url, type));
  }

  private static Client open(String url, RedisLockType type) {
    LettuceConnectionFactory connections = LettuceFactory.of(url);
    ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
    scheduler.setDaemon(true);
    scheduler.initialize();
    RedisLockRegistry registry = new RedisLockRegistry(connections, "bench");
    registry.setRedisLockType(type);
    registry.setRenewalTaskScheduler(scheduler);
    return new SpringRedis(registry, scheduler, connections);
  }

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
}
