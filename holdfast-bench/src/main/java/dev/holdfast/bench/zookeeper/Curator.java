package dev.holdfast.bench.zookeeper;

import dev.holdfast.bench.contender.Client;
import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Feature;
import dev.holdfast.bench.contender.Mutex;
import java.util.EnumSet;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.retry.ExponentialBackoffRetry;

/** Curator's recipes, with the retry policy of its documentation. */
record Curator(CuratorFramework curator) implements Client {

  static final Contender CONTENDER =
      Contender.peer(
          "Curator InterProcessMutex",
          EnumSet.complementOf(EnumSet.of(Feature.TOKEN)),
          Curator::open);

  private static final String FOLDER = "curator";

  private static Client open(String url) {
    CuratorFramework curator =
        CuratorFrameworkFactory.newClient(
            ZooKeeperStore.connectString(url), new ExponentialBackoffRetry(1000, 3));
    curator.start();
    return new Curator(curator);
  }

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

  @Override
  public void close() {
    curator.close();
  }

  private InterProcessReadWriteLock readWrite(String name) {
    return new InterProcessReadWriteLock(curator, ZooKeeperStore.path(FOLDER, name));
  }

  private static Mutex mutexOf(InterProcessMutex mutex) {
    return () -> {
      mutex.acquire();
      return mutex::release;
    };
  }
}
