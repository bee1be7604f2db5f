package dev.holdfast.bench.redis;

import dev.holdfast.bench.contender.Client;
import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Feature;
import dev.holdfast.bench.contender.JavaLock;
import dev.holdfast.bench.contender.Mutex;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.BiFunction;
import org.redisson.api.RFencedLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Redisson's locks, with its defaults: {@code lock()} without a lease time, so that its watchdog
 * renews it.
 */
enum Redisson implements Contender {
  LOCK(
      "Redisson RLock",
      Set.of(Feature.READ_WRITE),
      (client, name) -> new JavaLock(client.getLock(name))),
  FAIR(
      "Redisson fair",
      Set.of(Feature.FAIR),
      (client, name) -> new JavaLock(client.getFairLock(name))),
  FENCED(
      "Redisson fenced",
      Set.of(Feature.TOKEN),
      (client, name) -> fenced(client.getFencedLock(name))),
  SPIN("Redisson spin", Set.of(), (client, name) -> new JavaLock(client.getSpinLock(name)));

  private final String label;
  private final Set<Feature> features =
      EnumSet.of(Feature.OWNER_CHECK, Feature.WAITING, Feature.REENTRANT, Feature.RENEWAL);
  private final BiFunction<RedissonClient, String, Mutex> locks;

  Redisson(String label, Set<Feature> more, BiFunction<RedissonClient, String, Mutex> locks) {
    this.label = label;
    this.features.addAll(more);
    this.locks = locks;
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
    return features;
  }

  @Override
  public Client open(String url) {
    Config config = new Config();
    config.useSingleServer().setAddress(url);
    RedissonClient client = org.redisson.Redisson.create(config);
    return new Client() {
      @Override
      public Mutex mutex(String name) {
        return locks.apply(client, name);
      }

      @Override
      public Mutex readLock(String name) {
        return new JavaLock(client.getReadWriteLock(name).readLock());
      }

      @Override
      public Mutex writeLock(String name) {
        return new JavaLock(client.getReadWriteLock(name).writeLock());
      }

      @Override
      public void close() {
        client.shutdown();
      }
    };
  }

  private static Mutex fenced(RFencedLock lock) {
    return () -> {
      long token = lock.lockAndGetToken();
      return new Mutex.Hold() {
        @Override
        public void release() {
          lock.unlock();
        }

        @Override
        public long token() {
          return token;
        }
      };
    };
  }
}
