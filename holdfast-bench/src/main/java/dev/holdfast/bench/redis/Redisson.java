package dev.holdfast.bench.redis;

import dev.holdfast.bench.contender.Client;
import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Feature;
import dev.holdfast.bench.contender.Granted;
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
record Redisson(RedissonClient client, BiFunction<RedissonClient, String, Mutex> locks)
    implements Client {

  static final Contender LOCK =
      contender(
          "Redisson RLock",
          Set.of(Feature.READ_WRITE),
          (client, name) -> new JavaLock(client.getLock(name)));

  static final Contender FAIR =
      contender(
          "Redisson fair",
          Set.of(Feature.FAIR),
          (client, name) -> new JavaLock(client.getFairLock(name)));

  static final Contender FENCED =
      contender(
          "Redisson fenced",
          Set.of(Feature.TOKEN),
          (client, name) -> fenced(client.getFencedLock(name)));

  static final Contender SPIN =
      contender(
          "Redisson spin", Set.of(), (client, name) -> new JavaLock(client.getSpinLock(name)));

  private static Contender contender(
      String label, Set<Feature> more, BiFunction<RedissonClient, String, Mutex> locks) {
    Set<Feature> features =
        EnumSet.of(Feature.OWNER_CHECK, Feature.WAITING, Feature.REENTRANT, Feature.RENEWAL);
    features.addAll(more);
    return Contender.peer(label, features, url -> open(url, locks));
  }

  private static Client open(String url, BiFunction<RedissonClient, String, Mutex> locks) {
    Config config = new Config();
    config.useSingleServer().setAddress(url);
    return new Redisson(org.redisson.Redisson.create(config), locks);
  }

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

  private static Mutex fenced(RFencedLock lock) {
    return () -> new Granted(lock.lockAndGetToken(), lock::unlock);
  }
}
