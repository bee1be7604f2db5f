package dev.holdfast.bench.zookeeper;

import dev.holdfast.bench.contender.Client;
import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Feature;
import dev.holdfast.bench.contender.Mutex;
import java.util.EnumSet;
import java.util.Set;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.retry.ExponentialBackoffRetry;

/** Curator's recipes, with the retry policy of its documentation. */
record Curator() implements Contender {

  private static final String FOLDER = "curator";

  @Override
  public String label() {
    return "Curator InterProcessMutex";
  }

  @Override
  public Role role() {
    return Role.PEER;
  }

  @Override
  public Set<Feature> features() {
    return EnumSet.complementOf(EnumSet.of(Feature.TOKEN));
  }

  @Override
  public Client open(String url) {
    CuratorFramework curator =
        CuratorFrameworkFactory.newClient(
            ZooKeeperStore.connectString(url), new ExponentialBackoffRetry(1000, 3));
    curator.start();
    return new Client() {
      @Override
      public Mutex mutex(String name) {
        return mutexOf(new InterProcessMutex(curator, ZooKeeperStore.path(FOLDER, name)));
      }

      @Override
      public Mutex readLock(String name) {
        return mutexOf(readWrite(name).readLock());
      }

      @Override
      public Mutex writeLock(String name) {
        return mutexOf(readWrite(name).writeLock());
      }

      private InterProcessReadWriteLock readWrite(String name) {
        return new InterProcessReadWriteLock(curator, ZooKeeperStore.path(FOLDER, name));
      }

      @Override
      public void close() {
        curator.close();
      }
    };
  }

  private static Mutex mutexOf(InterProcessMutex mutex) {
    return () -> {
      mutex.acquire();
      return mutex::release;
    };
  }
}
